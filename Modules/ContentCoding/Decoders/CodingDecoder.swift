/// Undoes one coding with the library for it.
protocol CodingDecoder: AnyObject {
  /// Decodes as much as possible.
  ///
  /// A step that consumes and produces no byte needs more input. The input may be empty, to get output that is still
  /// buffered.
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
