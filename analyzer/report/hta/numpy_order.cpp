// SPDX-License-Identifier: Apache-2.0
// Quicksort with the median of the first, middle and last value as pivot. Parts of up to 16 values are sorted
// by insertion; parts that were split too often (which two ascending runs, launches and kernels, can cause)
// by a heap. Each of these determines the order of equal values. Algorithm: numpy 1.24,
// numpy/core/src/npysort/quicksort.cpp and heapsort.cpp.
#include "report/hta/numpy_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ringside::report::hta {
namespace {

struct Piece {
    std::size_t first = 0;
    std::size_t last = 0; ///< the last index, inclusive
    int depth = 0;        ///< number of splits that are still allowed
};

class Sorter final {
public:
    explicit Sorter(std::span<const double> values) : m_values(values), m_order(values.size())
    {
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    }

    std::vector<std::size_t> sort()
    {
        if (m_order.size() > 1) {
            m_waiting.push_back(
                {0, m_order.size() - 1, 2 * static_cast<int>(std::bit_width(m_order.size()) - 1)});
        }
        while (!m_waiting.empty()) {
            const Piece piece = m_waiting.back();
            m_waiting.pop_back();
            sortPiece(piece);
        }
        return std::move(m_order);
    }

private:
    [[nodiscard]] double at(std::size_t place) const { return m_values[m_order[place]]; }

    /// Continues with the smaller part at once. The limit of splits is checked only for parts that waited.
    void sortPiece(Piece piece)
    {
        constexpr std::size_t kSmall = 15;
        if (piece.depth < 0) {
            sortByHeap(piece);
            return;
        }
        while (piece.last > piece.first + kSmall) {
            const std::size_t at = split(piece);
            Piece low{piece.first, at - 1, piece.depth - 1};
            Piece high{at + 1, piece.last, piece.depth - 1};
            const bool lowIsSmaller = at - piece.first < piece.last - at;
            m_waiting.push_back(lowIsSmaller ? high : low);
            piece = lowIsSmaller ? low : high;
        }
        insert(piece);
    }

    void orderPair(std::size_t low, std::size_t high)
    {
        if (at(high) < at(low)) {
            std::swap(m_order[low], m_order[high]);
        }
    }

    /// Returns the final position of the pivot, which is after the first index.
    std::size_t split(const Piece& piece)
    {
        const std::size_t middle = piece.first + (piece.last - piece.first) / 2;
        orderPair(piece.first, middle);
        orderPair(middle, piece.last);
        orderPair(piece.first, middle);
        const double pivot = at(middle);
        const std::size_t parked = piece.last - 1;
        std::swap(m_order[middle], m_order[parked]);
        std::size_t up = piece.first;
        std::size_t down = parked;
        for (;;) {
            while (at(++up) < pivot) {
            }
            while (pivot < at(--down)) {
            }
            if (up >= down) {
                break;
            }
            std::swap(m_order[up], m_order[down]);
        }
        std::swap(m_order[up], m_order[parked]);
        return up;
    }

    void insert(const Piece& piece)
    {
        for (std::size_t next = piece.first + 1; next <= piece.last; ++next) {
            const std::size_t item = m_order[next];
            std::size_t to = next;
            for (; to > piece.first && m_values[item] < at(to - 1); --to) {
                m_order[to] = m_order[to - 1];
            }
            m_order[to] = item;
        }
    }

    void sortByHeap(const Piece& piece)
    {
        const std::span<std::size_t> items(m_order.data() + piece.first, piece.last - piece.first + 1);
        for (std::size_t root = items.size() / 2; root > 0; --root) {
            siftDown(items, root, items[root - 1]);
        }
        for (std::size_t left = items.size() - 1; left > 0; --left) {
            const std::size_t item = items[left];
            items[left] = items[0];
            siftDown(items.first(left), 1, item);
        }
    }

    /// Indices count from 1.
    void siftDown(std::span<std::size_t> items, std::size_t place, std::size_t item)
    {
        for (std::size_t child = 2 * place; child <= items.size(); child = 2 * place) {
            const bool right = child < items.size() && m_values[items[child - 1]] < m_values[items[child]];
            child += right ? 1 : 0;
            if (!(m_values[item] < m_values[items[child - 1]])) {
                break;
            }
            items[place - 1] = items[child - 1];
            place = child;
        }
        items[place - 1] = item;
    }

    std::span<const double> m_values;
    std::vector<std::size_t> m_order;
    std::vector<Piece> m_waiting;
};

} // namespace

std::vector<std::size_t> numpyOrder(std::span<const double> values)
{
    return Sorter(values).sort();
}

} // namespace ringside::report::hta
