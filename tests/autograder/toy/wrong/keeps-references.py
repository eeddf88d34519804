"""The cache drops what it had, in the toy."""


class Cache(Cache):
    def append(self, rows):
        self.rows = [rows]
        return rows
