import CurlewCore
import HTTPTypes
import Testing

struct ContentDispositionTests {
  @Test(.enabled(if: JudgeData.exists("content-disposition"), "shared/data/content-disposition is not there"))
  func `every case of the independent suite holds`() throws {
    let cases = try JudgeData.json("content-disposition/jshttp.json")
    #expect(cases.count == 206)
    for vector in cases {
      let name = "\(vector["test"]?.text ?? "") \(vector["args"].debugDescription)"
      if vector["throws"] != nil {
        #expect(throws: FieldError.self, "\(name)") { try Self.run(vector) }
      } else {
        let result = try Self.run(vector)
        #expect(result == vector["expect"], "\(name)")
      }
    }
  }

  /// Calls what a case names, with the suite's options in our terms.
  private static func run(_ vector: JudgeValue) throws -> JudgeValue {
    let arguments = vector["args"]?.list ?? []
    let options = arguments.count > 1 ? arguments[1] : .null
    var dialect = ContentDisposition.Dialect.header
    if options["extended"] == .bool(false) { dialect = .plain }
    if options["multipart"] == .bool(true) { dialect = .formData }
    switch vector["fn"]?.text ?? vector["__fn"]?.text {
    case "create":
      let fallback: ContentDisposition.Fallback =
        switch options["fallback"] {
        case .bool(false)?: .none
        case .text(let text)?: .text(text)
        default: .automatic
        }
      let value = try ContentDisposition(
        type: options["type"]?.text ?? "attachment", filename: arguments.first?.text, fallback: fallback)
      return .text(try value.fieldValue())
    case "format":
      return .text(try disposition(arguments.first ?? .null).fieldValue(dialect))
    default:
      let input = try arguments.first?.text ?? run(arguments.first ?? .null).text ?? ""
      let value = ContentDisposition(input, dialect: dialect)
      let parameters = Dictionary(uniqueKeysWithValues: value.parameters.map { ($0.name, JudgeValue.text($0.value)) })
      return .object(["type": .text(value.type), "parameters": .object(parameters)])
    }
  }

  /// A JSON object has lost the order of its members; these lists restore the suite's.
  private static func disposition(_ object: JudgeValue) throws -> ContentDisposition {
    if object["__fn"] != nil {
      let parsed = try run(object)
      return try disposition(parsed)
    }
    let members = object["parameters"]?.object ?? [:]
    let parameters = members.keys.sorted { left, right in
      let order = ["name", "Filename", "filename", "filename*", "foo"]
      return (order.firstIndex(of: left) ?? 9) < (order.firstIndex(of: right) ?? 9)
    }.map { FieldParameter(name: $0, value: members[$0]?.text ?? "") }
    return ContentDisposition(type: object["type"]?.text ?? "", parameters: parameters)
  }

  @Test func `the extended name wins wherever it stands`() {
    #expect(ContentDisposition("attachment; filename=\"a\"; filename*=UTF-8''%E2%82%AC").filename == "€")
    #expect(ContentDisposition("attachment; filename*=UTF-8''%E2%82%AC; filename=\"a\"").filename == "€")
    #expect(ContentDisposition("attachment; filename*=UTF-8''%E2%82; filename=\"a\"").filename == "a")
    #expect(ContentDisposition("attachment; filename*=UTF-8''; filename=\"a\"").filename == "a")
    #expect(ContentDisposition("attachment").filename == nil)
  }

  @Test func `what was made is read again with the same name`() throws {
    for name in ["plans.pdf", "£ and € rates.pdf", "a%20b", "tab\tnew\nline", "\"q\" \\ s", "", "\u{85}"] {
      let made = try ContentDisposition(filename: name)
      #expect(made.filename == name)
      let text = try made.fieldValue()
      #expect(!text.utf8.contains { $0 < 0x20 || $0 >= 0x7F })
      #expect(ContentDisposition(text).filename == name)
    }
  }

  @Test func `a message's field is read in either encoding`() {
    var fields = HTTPFields()
    #expect(ContentDisposition(of: fields) == nil)
    let latin = HTTPField(name: .contentDisposition, value: Array("attachment; filename=\"".utf8) + [0xE4, 0x22])
    fields.append(latin)
    #expect(ContentDisposition(of: fields)?.filename == "ä")
    fields[fields: .contentDisposition] = [HTTPField(name: .contentDisposition, value: "inline; filename=ä")]
    #expect(ContentDisposition(of: fields)?.filename == "ä")
  }

  @Test func `only inline means to show`() {
    #expect(ContentDisposition("INLINE; filename=a").isInline)
    #expect(!ContentDisposition("foobar").isInline)
    #expect(!ContentDisposition("").isInline)
  }

  @Test func `no value breaks out of a form's part`() throws {
    let value = ContentDisposition(
      type: "form-data", parameters: [FieldParameter(name: "name", value: "a\"; x=\"\r\nEvil: 1")])
    #expect(try value.fieldValue(.formData) == "form-data; name=\"a%22; x=%22%0D%0AEvil: 1\"")
    #expect(ContentDisposition(try value.fieldValue(.formData), dialect: .formData).name == value.name)
    let null = ContentDisposition(type: "form-data", parameters: [FieldParameter(name: "name", value: "\0")])
    #expect(throws: FieldError.self) { try null.fieldValue(.formData) }
  }

  @Test func `parameters beyond the limit are ignored`() {
    let text = "attachment" + (0..<10_000).map { ";a\($0)=1" }.joined()
    #expect(ContentDisposition(text).parameters.count == ContentDisposition.maximumParameters)
  }

  @Test func `random text never traps and what can be written carries no line break`() throws {
    var fuzz = FieldFuzz(
      seed: 6,
      near: [
        "attachment; filename=\"a\\\"b.pdf\"; filename*=UTF-8''%e2%82%ac", "form-data; name=\"a%22\"; filename=b",
      ])
    for _ in 0..<100_000 {
      let text = fuzz.text()
      for dialect in [ContentDisposition.Dialect.header, .plain, .formData] {
        let value = ContentDisposition(text, dialect: dialect)
        guard let written = try? value.fieldValue(dialect) else { continue }
        try #require(!written.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
      }
      _ = try? ContentDisposition(filename: text).fieldValue()
    }
  }
}
