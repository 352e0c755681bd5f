import Foundation
import PackagePlugin

/// Prints the interface of a module that was built, with the toolchain's `swift-synthesize-interface`.
struct InterfacePrinter {
  private let program: URL
  private let options: [String]

  init(_ context: PluginContext) throws {
    program = try context.tool(named: "swift-synthesize-interface").url
    // The place of what is built: the plugin's own folder is .build/plugins/APIText/outputs.
    var scratch = context.pluginWorkDirectoryURL
    while scratch.lastPathComponent != "plugins", scratch.pathComponents.count > 1 { scratch.deleteLastPathComponent() }
    let products = scratch.deletingLastPathComponent().appending(path: "debug")
    let modules = context.package.directoryURL.appending(path: "Modules")
    let maps = try FileManager.default.contentsOfDirectory(atPath: modules.path).sorted()
      .map { modules.appending(path: $0 + "/module.modulemap").path }
      .filter { FileManager.default.fileExists(atPath: $0) }
    options =
      ["-swift-version", "6", "-I", products.appending(path: "Modules").path]
      + ["-module-cache-path", products.appending(path: "ModuleCache").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
      + ["-Xcc", "-I/usr/include/libxml2"]
  }

  /// Returns the declarations, without doc comments and without the module's own name before each of its types; nil if there are none.
  func text(of module: String) throws -> String? {
    var lines = [
      "// swift-format-ignore-file", "// The public interface of \(module), written by `swift package api-text`.", "",
    ]
    let interface = try interface(of: module)
    for line in interface.split(separator: "\n", omittingEmptySubsequences: false) {
      let start = line.drop { $0 == " " }
      if start.hasPrefix("///") || start.isEmpty && lines.last?.isEmpty ?? true { continue }
      lines.append(start.isEmpty ? "" : String(line).replacing(module + ".", with: ""))
    }
    guard lines.contains(where: { !$0.isEmpty && !$0.hasPrefix("//") && !$0.contains("import ") }) else { return nil }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }

  private func interface(of module: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "api-text-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = program
    process.arguments = ["-module-name", module] + options + ["-o", file.path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw APITextError("\(program.lastPathComponent) ended with \(process.terminationStatus) for \(module).")
    }
    return try String(contentsOf: file, encoding: .utf8)
  }
}
