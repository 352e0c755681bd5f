import PackagePlugin

/// Writes a package with a transport of one's own.
@main
struct NewTransport: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    let folders = arguments.extractOption(named: "path")
    guard arguments.remainingArguments.count == 1, let name = arguments.remainingArguments.first, !name.hasPrefix("-"),
      folders.count <= 1
    else { throw CommandError("Usage: swift package new-transport NAME [--path FOLDER]") }
    try NewPackage("Transport", name: name, in: folders.first, values: [:], context: context).write()
  }
}
