// SPDX-License-Identifier: Apache-2.0
#include "half_copies.h"

#include <fmt/format.h>

#include <functional>

namespace ringside::trainer {

HalfCopies::HalfCopies(std::string_view type, const DeviceArray<float>& parameters, std::size_t largest)
    : m_type(halfType(type))
    , m_parameters(parameters)
    , m_copies(parameters.size())
    , m_converted{DeviceArray<unsigned short>(largest), DeviceArray<unsigned short>(largest)}
{}

void HalfCopies::refresh(cudaStream_t stream)
{
    RS_CHECK(m_type.narrow(stream, static_cast<unsigned>(m_parameters.size()), m_parameters.data(),
                           m_copies.data()));
}

const unsigned short* HalfCopies::of(cudaStream_t stream, const float* values, std::size_t count, Side side)
{
    const float* const begin = m_parameters.data();
    const std::less<> before; // defined also for pointers into different arrays
    if (!before(values, begin) && before(values, begin + m_parameters.size()))
        return m_copies.data() + (values - begin);
    const DeviceArray<unsigned short>& converted = m_converted[side == Side::Left ? 0 : 1];
    if (count > converted.size())
        throw Failure(fmt::format("a matrix product has a factor of {} values, the layers announced {} at "
                                  "most: Layer::Shape::largest is wrong",
                                  count, converted.size()));
    RS_CHECK(m_type.narrow(stream, static_cast<unsigned>(count), values, converted.data()));
    return converted.data();
}

} // namespace ringside::trainer
