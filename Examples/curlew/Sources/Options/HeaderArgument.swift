import CurlewCore
import HTTPTypes

/// A header field, as curl's users write it: `Accept: text/html`; `Name:` leaves a field out that would be sent, `Name;` has an
/// empty value.
struct HeaderArgument: ExplainedArgument, Sendable {
  let field: HTTPField
  /// Whether the field is not sent, although the tool would set it by itself.
  let isRemoval: Bool

  /// Creates a field that is sent; nil if its name or its value is invalid.
  init?(name: String, value: String) {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
    var scalars = value.unicodeScalars.drop(while: isBlank)
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    let value = String(scalars)
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
    field = HTTPField(name: name, value: value)
    isRemoval = false
  }

  private init(leavingOut name: HTTPField.Name) {
    field = HTTPField(name: name, value: "")
    isRemoval = true
  }

  init?(argument: String) {
    if let (before, behind) = argument.parted(at: ":") {
      guard behind.allSatisfy({ " \t".contains($0) }) else {
        self.init(name: String(before), value: String(behind))
        return
      }
      guard let name = HTTPField.Name(String(before)), !HeaderProblem.isNeeded(name) else { return nil }
      self.init(leavingOut: name)
    } else if argument.unicodeScalars.last == ";" {
      self.init(name: String(argument.unicodeScalars.dropLast()), value: "")
    } else {
      return nil
    }
  }

  static func problem(of argument: String) -> String {
    guard let (name, value) = argument.parted(at: ":") else {
      return argument.fileReference == nil
        ? "It has no colon; write 'Name: value'."
        : "No file is read; write each field, 'Name: value', with -H of its own."
    }
    if let name = HTTPField.Name(String(name)), HeaderProblem.isNeeded(name) {
      return "No request can do without the field \(name.rawName); give it a value, or leave out the option."
    }
    return HeaderProblem.ofName(String(name)) ?? HeaderProblem.ofValue(
      String(value.drop { " \t".contains($0) }), of: String(name))
      ?? "Write 'Name: value'."
  }
}

extension [HeaderArgument] {
  /// Appends the fields to a request.
  func add(to request: inout Request) {
    for header in self where !header.isRemoval { request.headerFields.append(header.field) }
  }

  /// Removes the fields that are to be left out, at last, when the tool has set its own.
  func removeDefaults(from request: inout Request) {
    for header in self where header.isRemoval {
      guard !contains(where: { !$0.isRemoval && $0.field.name == header.field.name }) else { continue }
      request.headerFields[header.field.name] = nil
      // Without this it would be added when the request is sent.
      if header.field.name == .acceptEncoding { request.options.decodesContent = false }
    }
  }
}

/// Explains why text cannot be sent as a header field.
enum HeaderProblem {
  /// Whether HTTP needs a field: `Host` (RFC 9112 §3.2), and `Content-Length` as the end of the body.
  static func isNeeded(_ name: HTTPField.Name) -> Bool { ["host", "content-length"].contains(name.canonicalName) }

  /// Returns the error in a field's name (RFC 9110 §5.1); nil if it is valid.
  static func ofName(_ name: String) -> String? {
    guard HTTPField.Name(name) == nil else { return nil }
    guard !name.isEmpty else { return "The name of a header field is empty." }
    let allowed = "a name holds letters, digits and !#$%&'*+-.^_`|~ only"
    let wrong = name.unicodeScalars.first { HTTPField.Name(String($0)) == nil }
    return wrong.map { "The header name '\(shown(name))' holds \(described($0)); \(allowed)." }
      ?? "The header name '\(shown(name))' cannot be sent; \(allowed)."
  }

  /// Returns the error in a field's value (RFC 9110 §5.5); nil if it is valid.
  static func ofValue(_ value: String, of name: String) -> String? {
    guard !HTTPField.isValidValue(value) else { return nil }
    let scalars = value.unicodeScalars
    if let wrong = scalars.first(where: { $0 != "\t" && $0.properties.generalCategory == .control }) {
      return "The value of the header '\(shown(name))' holds \(described(wrong)), which no value can hold."
    }
    return "The value of the header '\(shown(name))' begins or ends with white space; remove it."
  }

  private static func described(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    switch scalar {
    case " ": return "a space (\(code))"
    case "\t": return "a tab (\(code))"
    case "\n": return "a line feed (\(code))"
    case "\r": return "a carriage return (\(code))"
    default:
      let isControl = scalar.properties.generalCategory == .control
      return isControl ? "the control character \(code)" : "'\(scalar)' (\(code))"
    }
  }

  /// Returns the name without control characters, which could affect a terminal.
  private static func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(100)
    return String(String.UnicodeScalarView(scalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
  }
}

/// A name and a value: `name=value`.
struct NameValueArgument: ExplainedArgument, Sendable {
  let name: String
  let value: String

  init(name: String, value: String) { (self.name, self.value) = (name, value) }

  init?(argument: String) {
    guard let (before, behind) = argument.parted(at: "="), !before.isEmpty else { return nil }
    name = String(before)
    value = String(behind)
  }

  static func problem(of argument: String) -> String { "Write name=value." }
}
