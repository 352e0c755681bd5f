import PackagePlugin

/// Writes a package with a serializer for a format of one's own.
@main
struct NewSerializer: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    guard arguments.extractFlag(named: "help") == 0, !arguments.remainingArguments.contains("-h") else {
      print(Self.help)
      return
    }
    let types = arguments.extractOption(named: "media-type")
    let folders = arguments.extractOption(named: "path")
    guard arguments.remainingArguments.count == 1, let name = arguments.remainingArguments.first, !name.hasPrefix("-"),
      types.count == 1, folders.count <= 1
    else { throw CommandError(Self.usage + ". See --help.") }
    let parts = types[0].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(isToken) else {
      throw CommandError(
        "`\(types[0])` is not a media type. Expected a type and a subtype, such as application/msgpack.")
    }
    try NewPackage(
      "Serializer", name: name, in: folders.first,
      values: ["MEDIA_TYPE": String(parts[0]), "MEDIA_SUBTYPE": String(parts[1])], context: context
    ).write()
  }

  private static let usage = "Usage: swift package new-serializer NAME --media-type TYPE/SUBTYPE [--path FOLDER]"

  private static let help = """
    Writes a package with a serializer for your own format, whose tests say what is still to do.

    \(usage)

      NAME                       The name of the format, such as MessagePack.
      --media-type TYPE/SUBTYPE  Its media type, such as application/msgpack.
      --path FOLDER              Where to write the package. Default: beside this package.

    Example: swift package new-serializer MessagePack --media-type application/msgpack
    """

  /// Whether a text is a token (RFC 9110 §5.6.2), and not the wildcard.
  private func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text != "*"
      && text.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}
