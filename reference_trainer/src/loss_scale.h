// SPDX-License-Identifier: Apache-2.0
// Dynamic loss scaling with the rules and defaults of torch.cuda.amp.GradScaler: half precision cannot
// represent small gradients, so that the loss is multiplied by a scale as large as possible, and the
// optimizer divides by it.
#pragma once
#include <cmath>

namespace ringside::trainer {

class LossScale final {
public:
    /// The scale doubles after `interval` good steps in a row, at least 1.
    LossScale(float first, unsigned interval) : m_value(first), m_interval(interval) {}

    [[nodiscard]] float value() const { return m_value; }
    [[nodiscard]] unsigned skipped() const { return m_skipped; }

    /// Called after each step: a step whose gradients overflowed is skipped and halves the scale.
    void update(bool overflowed)
    {
        if (overflowed) {
            ++m_skipped;
            m_good = 0;
            m_value /= 2;
        } else if (++m_good == m_interval) {
            m_good = 0;
            if (std::isfinite(m_value * 2))
                m_value *= 2;
        }
    }

private:
    float m_value;
    unsigned m_interval;
    unsigned m_good = 0; ///< steps since the scale was last changed
    unsigned m_skipped = 0;
};

} // namespace ringside::trainer
