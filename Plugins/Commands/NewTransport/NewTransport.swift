import PackagePlugin

/// Writes a package with a transport of one's own.
@main
struct NewTransport: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    guard arguments.extractFlag(named: "help") == 0, !arguments.remainingArguments.contains("-h") else {
      print(Self.help)
      return
    }
    let folders = arguments.extractOption(named: "path")
    guard arguments.remainingArguments.count == 1, let name = arguments.remainingArguments.first, !name.hasPrefix("-"),
      folders.count <= 1
    else { throw CommandError(Self.usage + ". See --help.") }
    try NewPackage("Transport", name: name, in: folders.first, values: [:], context: context).write()
  }

  private static let usage = "Usage: swift package new-transport NAME [--path FOLDER]"

  private static let help = """
    Writes a package with a transport of your own, whose tests say what is still to do.

    \(usage)

      NAME           The name of the transport, such as Carrier.
      --path FOLDER  Where to write the package. Default: beside this package.

    Example: swift package new-transport Carrier
    """
}
