import ArgumentParser

/// The choice of a format by name, such as `json` or `plist`, or `auto`.
enum FormatChoice: ExpressibleByArgument, Sendable {
  case named(any Format)
  case automatic

  init?(argument: String) {
    if argument == "auto" {
      self = .automatic
    } else if let format = FormatList.all.first(where: { $0.name == argument }) {
      self = .named(format)
    } else {
      return nil
    }
  }
}
