/// How YAML text is laid out. Whatever the layout, it reads back as the same value.
public struct YAMLFormat: Sendable, Hashable {
  /// What sequences and mappings look like.
  public enum Style: Sendable, Hashable {
    /// One element or entry a line, indented.
    case block
    /// `[…]` and `{…}` on one line.
    case flow
  }

  /// What sequences and mappings look like; block unless told. Empty ones are always `[]` and `{}`.
  public var style: Style

  /// By how many columns the entries of an inner mapping are indented, from 1 to 9; 2 unless told.
  public var indentation: Int {
    get { columns }
    set { columns = min(max(newValue, 1), 9) }
  }
  private var columns = 2

  /// Whether even a single document starts with `---`.
  public var startsDocuments = false

  /// Makes a format.
  public init(_ style: Style = .block) {
    self.style = style
  }

  /// One element or entry a line.
  public static let block = YAMLFormat(.block)

  /// All on one line.
  public static let flow = YAMLFormat(.flow)
}
