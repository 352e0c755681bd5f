/// The tool's standard output: here a counter.
enum StandardOutput {
  // Safe because the driver runs on one thread.
  nonisolated(unsafe) static var written = 0

  static func write(_ bytes: UnsafeRawBufferPointer) throws { written += bytes.count }
}
