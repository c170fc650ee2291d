package builtin

// nonblocking is nothing here: named pipes are no files of a directory.
const nonblocking = 0
