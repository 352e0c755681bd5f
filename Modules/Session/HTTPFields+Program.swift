import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Glibc
public import HTTPTypes

extension HTTPFields {
  /// Returns the fields that identify the client: `User-Agent`, `Accept-Language`.
  ///
  /// The `User-Agent` contains the program, Curlew and the system, such as `birds/1.2 (Curlew/0.1.0; Linux x86_64)`, but no
  /// host name and no version of the kernel. To send something else, remove or replace a field of the result.
  ///
  /// - Parameters:
  ///   - name: The name of the program; nil uses the name of the process.
  ///   - version: The version of the program; nil omits it, because a program on Linux does not contain its version.
  ///   - languages: Language tags in order of preference. Nil uses the language of the C library's locale, which is known once
  ///     the program has called `setlocale(LC_ALL, "")`. Without a language there is no `Accept-Language`.
  public static func program(
    _ name: String? = nil, version: String? = nil, languages: [String]? = nil
  ) -> HTTPFields {
    var defaults = RequestDefaults()
    defaults.setUserAgent(
      product: name ?? ProcessInfo.processInfo.processName, version: version,
      comment: "Curlew/\(BuildInfo.version); \(BuildInfo.system)")
    defaults.setLanguages(languages ?? BuildInfo.localeLanguages)
    return defaults.headerFields
  }
}

/// Facts about this build and its system.
private enum BuildInfo {
  /// The version of Curlew.
  static let version = "0.1.0"

  /// The system and its architecture, such as `Linux x86_64`.
  static let system: String = {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux" }
    return [text(of: &names.sysname), text(of: &names.machine)].joined(separator: " ")
  }()

  /// The languages of the program's locale; empty for "C".
  static var localeLanguages: [String] {
    guard let locale = setlocale(LC_MESSAGES, nil).map({ String(cString: $0) }) else { return [] }
    let name = locale.prefix { $0 != "." && $0 != "@" }
    guard name != "C", name != "POSIX", !name.isEmpty else { return [] }
    let parts = name.split(separator: "_")
    guard parts.count > 1, let language = parts.first else { return [String(name)] }
    return [parts.joined(separator: "-"), String(language)]
  }

  private static func text<Characters>(of characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
