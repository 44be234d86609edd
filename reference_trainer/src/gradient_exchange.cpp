// SPDX-License-Identifier: Apache-2.0
#include "gradient_exchange.h"

#include "half_type.h"
#include "reduction.h"
#include "topk_exchange.h"

#include <optional>

namespace ringside::trainer {
namespace {

/// One all-reduce in single precision or, converted before and after, in 16 bits.
class AllReduce final : public GradientExchange {
public:
    AllReduce(const std::string& type, const Context& context) : m_context(context)
    {
        if (type == "fp32")
            return;
        m_type = halfType(type);
        m_halves = DeviceArray<unsigned short>(context.network.gradients().size());
    }

    void exchange(const Bucket& bucket, cudaStream_t stream) override
    {
        const std::size_t offset = m_context.network.tensors()[bucket.first].offset;
        float* const gradients = m_context.network.gradients().data() + offset;
        const std::size_t count = bucket.bytes / sizeof(float);
        if (!m_type) {
            reduce({m_reductions++, gradients, count, ncclFloat, m_context.communicator, stream});
            return;
        }
        unsigned short* const halves = m_halves.data() + offset;
        const auto elements = static_cast<unsigned>(count);
        RS_CHECK(m_type->narrow(stream, elements, gradients, halves));
        reduce({m_reductions++, halves, count, m_type->nccl, m_context.communicator, stream});
        RS_CHECK(m_type->widen(stream, elements, halves, gradients));
    }

private:
    void reduce(const Reduction& reduction)
    {
        const Hooks& hooks = m_context.hooks;
        if (hooks.insteadOfReduction && hooks.insteadOfReduction(reduction))
            return;
        RS_CHECK(ncclAllReduce(reduction.gradients, reduction.gradients, reduction.count, reduction.type,
                               ncclSum, reduction.communicator, reduction.stream));
    }

    Context m_context;
    std::optional<HalfType> m_type;       ///< empty: single precision
    DeviceArray<unsigned short> m_halves; ///< the converted gradients
    std::uint64_t m_reductions = 0;       ///< number of reductions begun
};

} // namespace

std::unique_ptr<GradientExchange> makeExchange(const GradientFormat& format,
                                               const GradientExchange::Context& context)
{
    if (format.kind == GradientFormat::Kind::TopK)
        return std::make_unique<TopkExchange>(format.share, context);
    return std::make_unique<AllReduce>(format.type, context);
}

} // namespace ringside::trainer
