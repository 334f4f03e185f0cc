"""Heights of many blocks: where one begins and which one lies at a line, in O(log n)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Heights:
    """A Fenwick tree over heights in lines; indexes from 0."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(values)
        self._tree = [0, *self._values]
        for index in range(1, len(self._tree)):
            parent = index + (index & -index)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[index]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        """The height of one block."""
        return self._values[index]

    @property
    def values(self) -> Sequence[int]:
        """All heights, to read."""
        return self._values

    @property
    def total(self) -> int:
        """All lines."""
        return self.before(len(self._values))

    def append(self, value: int) -> None:
        """One more block at the end."""
        index = len(self._tree)
        node, child = value, index - 1
        stop = index - (index & -index)
        while child > stop:
            node += self._tree[child]
            child -= child & -child
        self._values.append(value)
        self._tree.append(node)

    def set(self, index: int, value: int) -> None:
        """Give a block another height."""
        change = value - self._values[index]
        if not change:
            return
        self._values[index] = value
        node = index + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def before(self, index: int) -> int:
        """Lines above a block."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, line: int) -> tuple[int, int]:
        """The block at a line and the line within it; the last one for a line past the end."""
        size = len(self._values)
        index, rest = 0, line
        step = 1 << max(0, size.bit_length() - 1) if size else 0
        while step:
            following = index + step
            if following <= size and self._tree[following] <= rest:
                index = following
                rest -= self._tree[following]
            step >>= 1
        if index >= size:
            return max(0, size - 1), max(0, self._values[-1] - 1) if size else 0
        return index, rest
