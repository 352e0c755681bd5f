#if Configuration
import Configuration
import CurlewSecurity

/// Reads settings of a type, and tells a missing one from one of another type, which a `ConfigReader` does not.
struct SettingReader {
  private let config: ConfigReader

  init(_ config: ConfigReader) { self.config = config }

  /// Returns a text; nil if it is missing.
  func text(_ key: String, isSecret: Bool = false) throws(SettingError) -> String? {
    if let text = config.string(forKey: ConfigKey(key), isSecret: isSecret) { return text }
    try refuseOther(key, "expected a text")
    return nil
  }

  /// Returns a time in seconds; nil if it is missing.
  func duration(_ key: String) throws(SettingError) -> Duration? {
    let found = config.double(forKey: ConfigKey(key)) ?? config.int(forKey: ConfigKey(key)).map(Double.init)
    guard let seconds = found else {
      try refuseOther(key, "expected a number of seconds")
      return nil
    }
    // Beyond this, a duration overflows.
    guard seconds > 0, seconds < 1e9 else { throw SettingError(key, "expected more than 0 seconds") }
    return .seconds(seconds)
  }

  /// Returns a number that is not negative; nil if it is missing.
  func count(_ key: String) throws(SettingError) -> Int? {
    guard let count = config.int(forKey: ConfigKey(key)) else {
      try refuseOther(key, "expected a whole number")
      return nil
    }
    guard count >= 0 else { throw SettingError(key, "expected 0 or more") }
    return count
  }

  /// Returns pins; nil if they are missing.
  func pins(_ key: String) throws(SettingError) -> Set<PublicKeyPin>? {
    guard let texts = config.stringArray(forKey: ConfigKey(key)) else {
      try refuseOther(key, "expected a list of texts")
      return nil
    }
    guard !texts.isEmpty else { throw SettingError(key, "expected at least one pin") }
    var pins: Set<PublicKeyPin> = []
    for text in texts {
      do throws(SecurityError) {
        pins.insert(try PublicKeyPin(text))
      } catch {
        throw SettingError(key, error.message)
      }
    }
    return pins
  }

  /// Refuses a value that is there and of another type than expected.
  private func refuseOther(_ key: String, _ expected: String) throws(SettingError) {
    let name = ConfigKey(key)
    let isThere =
      config.string(forKey: name, isSecret: true) != nil || config.double(forKey: name, isSecret: true) != nil
      || config.int(forKey: name, isSecret: true) != nil || config.bool(forKey: name, isSecret: true) != nil
      || config.stringArray(forKey: name, isSecret: true) != nil
    guard !isThere else { throw SettingError(key, expected) }
  }
}
#endif
