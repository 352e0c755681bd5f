public import CurlewCore
import FoundationEssentials

extension AWSCredentials {
  /// Reads the variables that AWS's own programs read.
  ///
  /// They are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary credentials, `AWS_SESSION_TOKEN`.
  ///
  /// ```swift
  /// let credentials = try AWSCredentials(environment: ProcessInfo.processInfo.environment)
  /// ```
  ///
  /// - Throws: `AWSCredentialsError` of kind `missing` that names the first variable that is unset or empty.
  public init(environment: [String: String]) throws(AWSCredentialsError) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let id = value("AWS_ACCESS_KEY_ID") else { throw .missing("The variable AWS_ACCESS_KEY_ID is not set.") }
    guard let secret = value("AWS_SECRET_ACCESS_KEY") else {
      throw .missing("The variable AWS_SECRET_ACCESS_KEY is not set.")
    }
    self.init(accessKeyID: id, secretAccessKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
  }

  /// The size limit of a credentials file, 1 MiB.
  public static let maximumFileBytes = 1 << 20

  /// Reads a profile of a credentials file, such as `~/.aws/credentials`. Blocks.
  ///
  /// Settings other than the two keys and the token are ignored, and so are profiles that name a role, a program or a single
  /// sign-on: give `AWSSignature` a function for these.
  ///
  /// ```swift
  /// let credentials = try AWSCredentials(file: home + "/.aws/credentials", profile: "birds")
  /// ```
  ///
  /// - Throws: `AWSCredentialsError` of kind `unreadableFile` when the file cannot be read, is longer than `maximumFileBytes` or is
  ///   not UTF-8; of kind `missing` when it has no such profile, or the profile lacks a key.
  public init(
    file path: String, profile: String = "default", in files: any FileSystem = .local
  )
    throws(AWSCredentialsError)
  {
    let settings = try Self.settings(of: profile, in: Self.text(path, files))
    guard let settings else { throw .missing("\(path) has no profile \(profile).") }
    guard let id = settings["aws_access_key_id"], let secret = settings["aws_secret_access_key"] else {
      throw .missing("The profile \(profile) in \(path) lacks aws_access_key_id or aws_secret_access_key.")
    }
    self.init(accessKeyID: id, secretAccessKey: secret, sessionToken: settings["aws_session_token"])
  }

  private static func text(_ path: String, _ files: any FileSystem) throws(AWSCredentialsError) -> String {
    let bytes: [UInt8]?
    do throws(FileSystemError) {
      let file = try files.open(path, .read)
      let length = try file.length()
      bytes = length <= Int64(maximumFileBytes) ? try Self.bytes(of: file, Int(length)) : nil
    } catch {
      throw .unreadable("\(path) cannot be read: \(error.reason).")
    }
    guard let bytes else { throw .unreadable("\(path) is longer than 1 MiB, the size limit.") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .unreadable("\(path) is not UTF-8.") }
    return text
  }

  private static func bytes(of file: any OpenFile, _ length: Int) throws(FileSystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    var count = 0
    var failure: FileSystemError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(FileSystemError) { count = try file.read(into: buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
    return Array(bytes.prefix(count))
  }

  /// Returns the settings of a profile; nil if the text has no such profile.
  ///
  /// A section begins with `[NAME]`, or with `[profile NAME]` as in the file `config`. A line whose first character is a space belongs to
  /// a nested setting.
  private static func settings(of profile: String, in text: String) -> [String: String]? {
    var settings: [String: String]?
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      guard let first = line.first, first != "#", first != ";" else { continue }
      if first == "[" {
        let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
        isInside = words.joined(separator: " ") == profile || words.joined(separator: " ") == "profile " + profile
        if isInside { settings = settings ?? [:] }
        continue
      }
      guard isInside, !first.isWhitespace, let separator = line.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
        continue
      }
      let name = line[..<separator].trimmed.lowercased()
      let value = line[line.index(after: separator)...].trimmed
      settings?[name] = value.isEmpty ? nil : value
    }
    return settings
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
