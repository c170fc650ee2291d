package builtin

// nonblocking is empty: on Windows named pipes are not files in a directory.
const nonblocking = 0
