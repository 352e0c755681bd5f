import ArgumentParser

/// The choice of a format by name, such as `json` or `plist`, or `auto`.
enum FormatChoice: Sendable {
  case named(any Format)
  case automatic

  /// Reads the name of a format.
  ///
  /// - Throws: `ValidationError` that lists the formats and names the nearest.
  @Sendable init(named name: String) throws {
    if name == "auto" {
      self = .automatic
    } else if let format = FormatList.all.first(where: { $0.name == name }) {
      self = .named(format)
    } else {
      let nearest =
        NearestName.of(name, among: FormatList.all.map(\.name) + ["auto"]).map { "; did you mean \($0)?" } ?? "."
      throw ValidationError("'\(name)' is not a format\(nearest) The formats are \(FormatList.names).")
    }
  }
}
