import Foundation
import PackagePlugin

/// Writes the public interface of each module to `API/<Module>.swift`, as the compiler prints it.
///
/// With `--check` it writes nothing, and fails if a file differs.
@main
struct APIText: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    let onlyChecks = arguments.extractFlag(named: "check") > 0
    guard arguments.remainingArguments.isEmpty else {
      throw APITextError("Usage: swift package api-text [--check]")
    }
    let built = try packageManager.build(.all(includingTests: false), parameters: .init(configuration: .debug))
    guard built.succeeded else { throw APITextError("The package does not build:\n\(built.logText)") }

    let printer = try InterfacePrinter(context)
    let folder = context.package.directoryURL.appending(path: "API")
    var texts: [String: String] = [:]
    for module in Self.modules(of: context.package) {
      // A plugin declares nothing when its trait is off.
      if let text = try printer.text(of: module) { texts[module + ".swift"] = text }
    }
    let changed = try Self.compare(texts, with: folder, writing: !onlyChecks)
    guard !changed.isEmpty else { return print("API/ is up to date: \(texts.count) modules.") }
    let list = changed.map { "API/" + $0 }.joined(separator: ", ")
    guard onlyChecks else { return print("Changed: \(list)") }
    throw APITextError(
      """
      The public interface differs from \(list). If the change is intended, run \
      `swift package --allow-writing-to-package-directory api-text` and commit the files.
      """)
  }

  /// Returns the names of the modules in the package's libraries.
  private static func modules(of package: Package) -> [String] {
    let targets = package.products(ofType: LibraryProduct.self).flatMap(\.targets)
    return Set(targets.compactMap { ($0 as? SwiftSourceModuleTarget)?.moduleName }).sorted()
  }

  /// Returns the names of the files that differ from the texts, after writing the texts if wanted.
  private static func compare(_ texts: [String: String], with folder: URL, writing: Bool) throws -> [String] {
    let files = FileManager.default
    let found = try files.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let changed = Set(found).union(texts.keys).filter { name in
      texts[name] != (try? String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }
    guard writing else { return changed.sorted() }
    for name in changed {
      let file = folder.appending(path: name)
      if let text = texts[name] {
        try text.write(to: file, atomically: true, encoding: .utf8)
      } else {
        try files.removeItem(at: file)
      }
    }
    return changed.sorted()
  }
}

/// An error that the command prints.
struct APITextError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
