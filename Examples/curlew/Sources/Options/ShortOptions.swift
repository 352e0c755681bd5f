/// Short options as curl's users write them: `-XPUT`, `-sSLm5`.
enum ShortOptions {
  /// Those that take a value, in all commands that have them.
  private static let valued = Set("XHdFuAebcxmoOC")
  /// Those that take none.
  private static let flags = Set("GILSfhiksv")

  /// Returns the arguments with each value apart from its option; what is no such option stays.
  static func parted(_ arguments: [String]) -> [String] {
    var parted: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else { return parted + [argument] + rest }
      let letters = argument.dropFirst()
      guard argument.hasPrefix("-"), let place = letters.firstIndex(where: { !flags.contains($0) }),
        valued.contains(letters[place])
      else {
        parted.append(argument)
        continue
      }
      let value = letters[letters.index(after: place)...]
      parted.append("-" + letters[...place])
      if !value.isEmpty { parted.append(String(value)) } else if let next = rest.popFirst() { parted.append(next) }
    }
    return parted
  }

  /// Options of curl that have another name here.
  private static let others = [
    "-T": "-X PUT --data-binary @FILE", "--upload-file": "-X PUT --data-binary @FILE", "-w": "--report FILE",
    "--write-out": "--report FILE", "-D": "-i", "--dump-header": "-i", "-r": "-H 'Range: bytes=0-99'",
    "--range": "-H 'Range: bytes=0-99'",
    "--data-raw": "-d", "--data-urlencode": "--form name=value", "--remote-name": "-O .",
    "--form-string": "-F name=value",
    "--request-target": "the URL", "--url": "the URL alone", "--output-dir": "-O DIRECTORY", "-n": "--user",
    "--netrc": "--user",
  ]

  /// Returns the message for the first option of curl that has another name here; nil if there is no such option.
  static func missing(in arguments: [String]) -> String? {
    let options = arguments.prefix { $0 != "--" }
    guard let option = options.first(where: { others[$0] != nil }), let other = others[option] else { return nil }
    return "There is no \(option); take \(other)."
  }
}
