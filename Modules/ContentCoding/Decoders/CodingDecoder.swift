/// Undoes one coding with the library for it.
protocol CodingDecoder: AnyObject {
  /// Decodes as much input as fits into the output.
  ///
  /// A step that neither consumes nor produces a byte means that more input is needed. The input may be empty, to get output
  /// that the library still buffers.
  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep

  /// Whether the input may end here.
  var isAtEnd: Bool { get }
}

/// The result of one call of a decoder.
struct DecodingStep {
  var consumed = 0
  var produced = 0
  var failure: ContentDecodingError?
}
