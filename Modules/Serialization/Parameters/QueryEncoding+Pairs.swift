import CurlewCore
import FoundationEssentials

extension QueryEncoding {
  /// A name with its values, neither of them escaped.
  struct Pair {
    var name: String
    /// One value, or those of a comma-separated array; never containers.
    var values: [Parameters]
    /// Whether a `=` follows the name.
    var hasValue = true
  }

  /// Expands parameters into pairs.
  func pairs(_ parameters: Parameters) throws(ParametersError) -> [Pair] {
    guard case .object = parameters else { throw ParametersError(.notNamed) }
    var pairs: [Pair] = []
    try expand(parameters, name: nil, depth: 0, into: &pairs)
    return pairs
  }

  private func expand(
    _ value: Parameters, name: String?, depth: Int, into pairs: inout [Pair]
  ) throws(ParametersError) {
    guard depth < Parameters.maximumDepth else { throw ParametersError(.tooDeep) }
    let name = name ?? ""
    switch value {
    case .object(let members):
      for member in ordered(members) {
        let inner = depth == 0 ? member.name : keys == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
        try expand(member.value, name: inner, depth: depth + 1, into: &pairs)
      }
    case .array(let elements) where arrays == .commaSeparated:
      let kept = nulls == .omitted ? elements.filter { $0 != .null } : elements
      guard kept.allSatisfy(\.isLeaf) else { throw ParametersError(.unrepresentable, at: [name]) }
      for element in kept { try requireFinite(element, name) }
      if !kept.isEmpty { pairs.append(Pair(name: name, values: kept)) }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        let inner =
          switch arrays {
          case .indexed: "\(name)[\(index)]"
          case .repeated, .commaSeparated: name
          case .brackets: "\(name)[]"
          }
        try expand(element, name: inner, depth: depth + 1, into: &pairs)
      }
    case .set(let elements):
      for element in sorted(elements) { try expand(element, name: name, depth: depth + 1, into: &pairs) }
    case .null where nulls == .omitted: break
    case .null: pairs.append(Pair(name: name, values: [.null], hasValue: nulls != .nameAlone))
    default:
      try requireFinite(value, name)
      pairs.append(Pair(name: name, values: [value]))
    }
  }

  /// Refuses infinity and NaN, for which a query has no text that a server would read as such.
  private func requireFinite(_ value: Parameters, _ name: String) throws(ParametersError) {
    if case .double(let number) = value, !number.isFinite { throw ParametersError(.unrepresentable, at: [name]) }
  }

  private func ordered(_ members: [Parameters.Member]) -> [Parameters.Member] {
    guard order == .sorted else { return members }
    return members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
  }

  private func sorted(_ elements: [Parameters]) -> [Parameters] {
    elements.map { (key: text(of: $0) ?? "", value: $0) }
      .sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }.map(\.value)
  }

  /// Returns the text of a scalar; nil for a container.
  func text(of value: Parameters) -> String? {
    switch value {
    case .null: nulls == .literal ? "null" : ""
    case .bool(let value):
      switch bools {
      case .numeric: value ? "1" : "0"
      case .literal: value ? "true" : "false"
      }
    case .integer(let value): String(value)
    case .double(let value): Self.text(of: value)
    case .string(let value): value
    case .date(let value): text(of: value)
    case .data(let value): value.base64EncodedString()
    case .array, .set, .object: nil
    }
  }

  private static func text(of number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private func text(of date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    if case .custom(let text) = dates { return text(date) }
    // This uses the Gregorian calendar throughout: Foundation's formats switch to the Julian one before October 1582.
    guard let text = InternetDate.text(date) else { return Self.text(of: seconds) }
    switch dates {
    case .description: return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) +0000"
    case .iso8601: return text
    case .millisecondsSince1970: return Self.text(of: (seconds * 1000).rounded())
    case .secondsSince1970, .custom: return Self.text(of: seconds)
    }
  }
}

extension Parameters {
  /// Whether the value is a scalar.
  var isLeaf: Bool {
    switch self {
    case .array, .set, .object: false
    default: true
    }
  }
}
