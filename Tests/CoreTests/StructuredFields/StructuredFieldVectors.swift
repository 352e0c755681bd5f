import CurlewCore
import FoundationEssentials

/// A case of the HTTP working group's structured field tests.
struct StructuredFieldVector: Decodable {
  var name: String
  var raw: [String]
  var headerType: String
  var expected: JudgeValue?
  var mustFail: Bool?
  var canFail: Bool?
  var canonical: [String]?

  enum CodingKeys: String, CodingKey {
    case name, raw, expected, canonical
    case headerType = "header_type"
    case mustFail = "must_fail"
    case canFail = "can_fail"
  }
}

/// The values as the suite writes them.
extension JudgeValue {
  init(_ value: StructuredField.BareItem) {
    self =
      switch value {
      case .integer(let number): .number(Double(number))
      case .decimal(let number): .number(number.doubleValue)
      case .string(let text): .text(text)
      case .boolean(let truth): .bool(truth)
      case .token(let text): .object(["__type": .text("token"), "value": .text(text)])
      case .byteSequence(let bytes): .object(["__type": .text("binary"), "value": .text(Self.base32(bytes))])
      case .date(let seconds): .object(["__type": .text("date"), "value": .number(Double(seconds))])
      case .displayString(let text): .object(["__type": .text("displaystring"), "value": .text(text)])
      }
  }

  init(_ parameters: StructuredField.Parameters) {
    self = .list(parameters.map { .list([.text($0.key), JudgeValue($0.value)]) })
  }

  init(_ item: StructuredField.Item) {
    self = .list([JudgeValue(item.value), JudgeValue(item.parameters)])
  }

  init(_ member: StructuredField.Member) {
    self =
      switch member {
      case .item(let item): JudgeValue(item)
      case .innerList(let list): .list([.list(list.items.map { JudgeValue($0) }), JudgeValue(list.parameters)])
      }
  }

  init(_ list: StructuredField.List) {
    self = .list(list.members.map { JudgeValue($0) })
  }

  init(_ dictionary: StructuredField.Dictionary) {
    self = .list(dictionary.map { .list([.text($0.key), JudgeValue($0.value)]) })
  }

  private static func base32(_ bytes: Data) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var text = ""
    var bits = bytes.flatMap { byte in (0..<8).reversed().map { Int(byte >> $0 & 1) } }
    while !bits.count.isMultiple(of: 5) { bits.append(0) }
    for start in stride(from: 0, to: bits.count, by: 5) {
      text.append(alphabet[bits[start..<start + 5].reduce(0) { $0 * 2 + $1 }])
    }
    while !text.count.isMultiple(of: 8) { text.append("=") }
    return text
  }
}
