/// The layout of YAML text; every layout reads back as the same value.
public struct YAMLFormat: Sendable, Hashable {
  /// The notation of sequences and mappings.
  public enum Style: Sendable, Hashable {
    /// One element or entry per line, indented.
    case block
    /// `[…]` and `{…}` on one line.
    case flow
  }

  /// The notation of sequences and mappings; block by default.
  ///
  /// Empty ones are always `[]` and `{}`.
  public var style: Style

  /// The indentation of an inner mapping's entries, 1 to 9 columns; 2 by default.
  public var indentation: Int {
    get { columns }
    set { columns = min(max(newValue, 1), 9) }
  }
  private var columns = 2

  /// Whether even a single document starts with `---`.
  public var startsDocuments = false

  /// Creates a format.
  public init(_ style: Style = .block) {
    self.style = style
  }

  /// One element or entry per line.
  public static let block = YAMLFormat(.block)

  /// All on one line.
  public static let flow = YAMLFormat(.flow)
}
