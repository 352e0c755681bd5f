import ArgumentParser

/// How a document is read.
struct DecodingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("How deep values may be nested, at most 4096.", valueName: "levels"))
  var maxDepth = DecodingOptions().depth

  @Option(help: ArgumentHelp("The most bytes to read; k, M and G are understood. Default: 256M.", valueName: "bytes"))
  var maxSize: ByteCount?

  func validate() throws {
    guard (0...4096).contains(maxDepth) else { throw ValidationError("--max-depth is between 0 and 4096.") }
  }

  var options: DecodingOptions {
    var options = DecodingOptions()
    options.depth = maxDepth
    if let maxSize { options.bytes = Int(clamping: maxSize.bytes) }
    return options
  }
}
