// SPDX-License-Identifier: Apache-2.0
// Mixed precision as in torch.autocast: parameters stay in single precision; matrix products read 16-bit
// copies of their factors and sum in single precision.
#pragma once
#include "half_type.h"

#include <array>

namespace ringside::trainer {

class HalfCopies final {
public:
    /// `type` is "fp16" or "bf16". Except for the parameters, no factor has more than `largest` values.
    /// `parameters` must outlive this object.
    HalfCopies(std::string_view type, const DeviceArray<float>& parameters, std::size_t largest);

    [[nodiscard]] cudaDataType type() const { return m_type.blas; }
    /// Copies the present parameters. Call it before the products of a forward.
    void refresh(cudaStream_t stream);

    enum class Side { Left, Right };
    /// Returns `count` values as 16 bits, valid until the next factor on this side is requested: a range of
    /// the parameters as of refresh(), any other factor converted on the stream.
    [[nodiscard]] const unsigned short* of(cudaStream_t stream, const float* values, std::size_t count,
                                           Side side);

private:
    HalfType m_type;
    const DeviceArray<float>& m_parameters;
    DeviceArray<unsigned short> m_copies;
    std::array<DeviceArray<unsigned short>, 2> m_converted; ///< one for each side
};

} // namespace ringside::trainer
