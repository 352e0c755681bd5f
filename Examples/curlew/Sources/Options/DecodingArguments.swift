import ArgumentParser

/// The options for reading a document.
struct DecodingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How deep values may be nested: at most 4096 in json, yaml and form, 2048 in xml, 512 in plist.",
      valueName: "levels"))
  var maxDepth = DecodingOptions().depth

  @Option(
    help: ArgumentHelp("The most bytes to read; k, M, G and T are understood. Default: 256M.", valueName: "bytes"),
    transform: ByteCount.read)
  var maxSize: ByteCount?

  @Option(
    help: ArgumentHelp("Which scalars of YAML are no strings. Default: core.", valueName: "name"))
  var schema: SchemaChoice?

  @Option(help: ArgumentHelp("The most aliases of a YAML stream. Default: 100000.", valueName: "count"))
  var maxAliases: Int?

  @Flag(name: .customLong("c14n"), help: "Of XML, print Canonical XML 1.0 instead.")
  var canonical = false

  @Flag(help: "With --c14n, keep comments.")
  var withComments = false

  @Option(help: ArgumentHelp("Of XML, print what this XPath expression finds, a line each.", valueName: "expression"))
  var xpath: String?

  @Option(
    name: .customLong("namespace"),
    help: ArgumentHelp(
      "A prefix of the expression; those that the document's element declares are known.", valueName: "prefix=uri"))
  var namespaces: [String] = []

  func validate() throws {
    guard maxAliases ?? 0 >= 0 else { throw ValidationError("--max-aliases is not below 0.") }
    guard namespaces.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
      throw ValidationError("--namespace is written prefix=uri.")
    }
    guard (0...4096).contains(maxDepth) else { throw ValidationError("--max-depth is between 0 and 4096.") }
  }

  /// Rejects options that do not apply to a format, and depths beyond its limit.
  func validate(for format: any Format) throws {
    guard format.depths.contains(maxDepth) else {
      throw ValidationError(
        "--max-depth is between \(format.depths.lowerBound) and \(format.depths.upperBound) for \(format.name).")
    }
    let format = format.name
    if format != "yaml", schema != nil || maxAliases != nil {
      throw ValidationError("--schema and --max-aliases are for yaml.")
    }
    if format != "xml", canonical || withComments || xpath != nil || !namespaces.isEmpty {
      throw ValidationError("--c14n, --with-comments, --xpath and --namespace are for xml.")
    }
  }

  var options: DecodingOptions {
    var options = DecodingOptions()
    options.depth = maxDepth
    if let schema { options.schema = schema.schema }
    options.aliases = maxAliases
    if let maxSize { options.bytes = Int(clamping: maxSize.bytes) }
    options.xml.isCanonical = canonical
    options.xml.keepsComments = withComments
    options.xml.path = xpath
    for pair in namespaces {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 { options.xml.namespaces[parts[0]] = parts[1] }
    }
    return options
  }
}
