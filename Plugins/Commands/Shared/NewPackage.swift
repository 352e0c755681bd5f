import Foundation
import PackagePlugin

/// Writes a package from one of the templates in `Plugins/Commands/Templates`.
///
/// In the files and their names, `Placeholder` stands for the name of the new package's types, `placeholder` for that of its members, and
/// words in capitals for other values.
struct NewPackage {
  /// The folder of the template, which is the end of the new package's name too.
  let kind: String
  let name: PackageName
  let folder: URL
  /// Curlew's own folder.
  let curlew: URL
  /// The line of a manifest that adds Curlew as a dependency.
  let dependency: String
  /// The words in capitals, and the text in their place.
  let values: [String: String]

  /// - Parameters:
  ///   - folder: Where to write it; nil means beside the package in which the command runs.
  ///   - values: The words in capitals that only this template has.
  init(
    _ kind: String, name: String, in folder: String?, values: [String: String], context: PluginContext
  ) throws(CommandError) {
    self.kind = kind
    self.name = try PackageName(name, removing: kind)
    guard let curlew = context.package.curlew else {
      throw CommandError("The package curlew is not among the dependencies.")
    }
    let place = curlew.directoryURL.standardizedFileURL
    let here = context.package.directoryURL.standardizedFileURL
    self.curlew = place
    self.folder =
      folder.map { URL(fileURLWithPath: $0, isDirectory: true).standardizedFileURL }
      ?? here.deletingLastPathComponent().appendingPathComponent(self.name.type + kind, isDirectory: true)
    self.values = values
    dependency = curlew.dependency
  }

  /// Writes the files.
  ///
  /// Nothing is written when the name is taken or the folder exists.
  func write() throws {
    let declared = name.type + kind
    for type in [declared, name.type + "Response" + kind, name.type + "Request" + kind, name.type + "Coding"] {
      if let file = try declaration(of: type) {
        throw CommandError("The name \(name.type) is taken: \(file) declares \(type). Choose another name.")
      }
    }
    guard !FileManager.default.fileExists(atPath: folder.path) else {
      throw CommandError("\(folder.path) exists. Remove it, or choose another folder with --path.")
    }
    let template = curlew.appendingPathComponent("Plugins/Commands/Templates/\(kind)", isDirectory: true)
    for path in try FileManager.default.subpathsOfDirectory(atPath: template.path).sorted() {
      let source = template.appendingPathComponent(path)
      guard try source.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
      let target = folder.appendingPathComponent(filled(path, member: name.member))
      try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      let text = try String(contentsOf: source, encoding: .utf8)
      try filled(text, member: name.memberInCode).write(to: target, atomically: true, encoding: .utf8)
    }
    print("Wrote \(folder.path). Its README.md says what is still to do; `swift test` there lists it.")
  }

  /// Replaces all words in one pass, so that a word inside what was filled in stays as it is.
  private func filled(_ text: String, member: String) -> String {
    var replacements = values
    replacements["CURLEW_DEPENDENCY"] = dependency
    replacements["Placeholder"] = name.type
    replacements["placeholder"] = member
    // Of two words that begin alike, the longer one is meant.
    let words = replacements.keys.sorted { $0.count > $1.count }
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      if let word = words.first(where: { rest.hasPrefix($0) }), let value = replacements[word] {
        result += value
        rest = rest.dropFirst(word.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// Returns the file of a module of Curlew that declares a public type; nil if none does.
  private func declaration(of type: String) throws -> String? {
    let modules = curlew.appendingPathComponent("Modules", isDirectory: true)
    let pattern = try Regex(#"public (final |indirect )*(struct|class|enum|protocol|actor|typealias) "# + type + #"\b"#)
    for path in try FileManager.default.subpathsOfDirectory(atPath: modules.path) where path.hasSuffix(".swift") {
      let text = try String(contentsOf: modules.appendingPathComponent(path), encoding: .utf8)
      if text.contains(pattern) { return "Modules/" + path }
    }
    return nil
  }
}

/// An error that the command prints.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Package {
  /// Curlew, which is this package or one of its dependencies; nil if it is neither.
  fileprivate var curlew: Package? {
    if displayName == "curlew" { return self }
    for dependency in dependencies {
      if let found = dependency.package.curlew { return found }
    }
    return nil
  }

  /// The line of a manifest that adds Curlew as a dependency: the version from which the command runs, or the published one when it runs
  /// in a clone. Without traits, since a serializer or a transport does not need the umbrella's formats.
  fileprivate var dependency: String {
    var place = "url: \"https://github.com/curlew/curlew\", from: \"0.1.0\""
    if case .repository(let url, let version, let revision) = origin {
      let isVersion = version.split(separator: ".").count == 3
      place = "url: \"\(url)\", \(isVersion ? "from: \"\(version)\"" : "revision: \"\(revision)\"")"
    }
    return ".package(\(place), traits: [])"
  }
}
