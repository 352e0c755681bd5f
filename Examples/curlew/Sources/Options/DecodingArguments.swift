import ArgumentParser

/// How a document is read.
struct DecodingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("How deep values may be nested, at most 4096.", valueName: "levels"))
  var maxDepth = DecodingOptions().depth

  @Option(help: ArgumentHelp("The most bytes to read; k, M and G are understood. Default: 256M.", valueName: "bytes"))
  var maxSize: ByteCount?

  @Option(
    help: ArgumentHelp("Which scalars of YAML are no strings. Default: core.", valueName: "name"))
  var schema: SchemaChoice?

  @Option(help: ArgumentHelp("The most aliases of a YAML stream. Default: 100000.", valueName: "count"))
  var maxAliases: Int?

  func validate() throws {
    guard maxAliases ?? 0 >= 0 else { throw ValidationError("--max-aliases is not below 0.") }
    guard (0...4096).contains(maxDepth) else { throw ValidationError("--max-depth is between 0 and 4096.") }
  }

  var options: DecodingOptions {
    var options = DecodingOptions()
    options.depth = maxDepth
    if let schema { options.schema = schema.schema }
    options.aliases = maxAliases
    if let maxSize { options.bytes = Int(clamping: maxSize.bytes) }
    return options
  }
}
