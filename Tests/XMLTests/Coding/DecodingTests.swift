import CurlewXML
import FoundationEssentials
import Testing

@Suite struct DecodingTests {
  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try XMLDecoder().decode(type, from: Data(text.utf8))
  }

  private struct Book: Codable, Equatable, XMLAttributeCoding {
    var id: Int
    var title: Title
    var author: [String] = []
    var price: Double?
    var note: String?
    var published: Date?
    var stock: Stock?

    struct Title: Codable, Equatable {
      var language: String
      var text: String
      enum CodingKeys: String, CodingKey {
        case language = "@xml:lang"
        case text = "#text"
      }
    }
    enum Stock: String, Codable { case full, empty }
    static func isAttribute(_ key: any CodingKey) -> Bool { key.stringValue == "id" }
  }

  @Test func `elements, attributes, repeated elements and text become a value`() throws {
    let book = try decode(
      Book.self,
      """
      <book id="7" xmlns:x="urn:x"><title xml:lang="de">Der <i/>Vogel</title><author>A</author>
        <unknown/><x:author>B &amp; C</x:author><price> 7.50 </price><note/><published>2026-11-21T09:00:00Z</published>
        <stock>full</stock></book>
      """)
    #expect(book.title == Book.Title(language: "de", text: "Der Vogel"))
    #expect(
      book.id == 7 && book.author == ["A", "B & C"] && book.price == 7.5 && book.note == "" && book.stock == .full)
    #expect(book.published == Date(timeIntervalSince1970: 1_795_251_600))
  }

  @Test func `what is not there is nil or none, and an error where it must be`() throws {
    struct Sparse: Decodable, Equatable {
      var number: Int?
      var text: String?
      var list: [Int]
      var maybe: [Int]?
      var date: Date?
      var inner: Inner?
      struct Inner: Decodable, Equatable { var a: Int? }
    }
    #expect(try decode(Sparse.self, "<s/>") == Sparse(list: []))
    let nils =
      "<s xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><number/><text xsi:nil='true'/><date> </date></s>"
    #expect(try decode(Sparse.self, nils) == Sparse(list: []))
    #expect(try decode(Sparse.self, "<s><inner/><text></text></s>") == Sparse(text: "", list: [], inner: .init()))
    let error = #expect(throws: DecodingError.self) { try decode(Book.self, "<book><title/></book>") }
    guard case .keyNotFound(let key, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.stringValue == "id")
  }

  @Test func `several elements where one is wanted are an error`() throws {
    struct One: Decodable { var a: String }
    let error = #expect(throws: DecodingError.self) { try decode(One.self, "<o><a>1</a><a>2</a></o>") }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["a"])
    #expect(throws: DecodingError.self) { try decode(One.self, "<o><a><b/></a></o>") }
  }

  @Test func `scalars are read as XML Schema writes them`() throws {
    #expect(try decode([Bool].self, "<l><i>true</i><i> 0 </i></l>") == [true, false])
    #expect(try decode([Double].self, "<l><i>INF</i><i>-INF</i><i>1e3</i></l>") == [.infinity, -.infinity, 1000])
    #expect(try decode([Double].self, "<l><i>NaN</i></l>").first?.isNaN == true)
    #expect(try decode(Int8.self, "<n>-128</n>") == -128)
    #expect(try decode(Data.self, "<d>aGk=\n</d>") == Data("hi".utf8))
    #expect(try decode(Decimal.self, "<d>1.10</d>") == Decimal(string: "1.10"))
    #expect(try decode(Date.self, "<d>2026-11-21T09:00:00.5Z</d>") == Date(timeIntervalSince1970: 1_795_251_600.5))
    #expect(try decode([String: Int].self, "<m b='2'><a>1</a></m>") == ["a": 1, "b": 2])
    #expect(try decode([[Int]].self, "<m><r><c>1</c><c>2</c></r><r/></m>") == [[1, 2], []])
    #expect(throws: DecodingError.self) { try decode(Int8.self, "<n>128</n>") }
    #expect(throws: DecodingError.self) { try decode(Double.self, "<n>0x1p3</n>") }
    #expect(throws: DecodingError.self) { try decode(Bool.self, "<n>yes</n>") }
    for text in ["12,50", "12abc", "1_000", "1.2.3", "0x10", "1e", "-", "."] {
      #expect(throws: DecodingError.self) { try decode(Decimal.self, "<n>\(text)</n>") }
    }
  }

  @Test func `prefixes of keys are namespaces`() throws {
    struct Feed: Codable, Equatable {
      var id: String
      var rank: Int
      enum CodingKeys: String, CodingKey {
        case id = "a:id"
        case rank = "@b:rank"
      }
    }
    var decoder = XMLDecoder()
    decoder.namespaces = ["a": "urn:a", "b": "urn:b"]
    let text = "<f xmlns='urn:x' xmlns:p='urn:a' xmlns:q='urn:b' q:rank='1' rank='2'><id>no</id><p:id>yes</p:id></f>"
    let feed = try decoder.decode(Feed.self, from: Data(text.utf8))
    #expect(feed == Feed(id: "yes", rank: 1))
    var encoder = XMLEncoder()
    encoder.namespaces = decoder.namespaces
    encoder.defaultNamespace = "urn:x"
    #expect(try decoder.decode(Feed.self, from: encoder.data(feed, rootName: "f")) == feed)
  }

  @Test func `what is encoded is decoded again`() throws {
    let book = Book(
      id: 1, title: .init(language: "en", text: "<&>"), author: ["x", "y"], price: 0.1, note: " ",
      published: Date(timeIntervalSince1970: 0), stock: .empty)
    let data = try XMLEncoder().data(book)
    #expect(
      String(decoding: data, as: UTF8.self)
        == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Book id=\"1\"><title xml:lang=\"en\">&lt;&amp;&gt;</title>"
        + "<author>x</author><author>y</author><price>0.1</price><note> </note><published>1970-01-01T00:00:00Z</published>"
        + "<stock>empty</stock></Book>")
    #expect(try XMLDecoder().decode(Book.self, from: data) == book)
    let nested = [[1], [], [2, 3]]
    #expect(try XMLDecoder().decode([[Int]].self, from: XMLEncoder().data(nested, rootName: "m")) == nested)
    let optionals: [Int?] = [1, nil, 3]
    #expect(try XMLDecoder().decode([Int?].self, from: XMLEncoder().data(optionals, rootName: "m")) == optionals)
    #expect(try XMLDecoder().decode(String.self, from: XMLEncoder().data("é", rootName: "m")) == "é")
  }

  @Test func `what has no place in XML is an error`() throws {
    struct Wrong: Encodable {
      var list = [1]
      enum CodingKeys: String, CodingKey { case list = "@list" }
    }
    #expect(throws: EncodingError.self) { try XMLEncoder().data(Wrong(), rootName: "w") }
    #expect(throws: XMLWritingError.self) { try XMLEncoder().data(["a b": 1], rootName: "w") }
    #expect(throws: EncodingError.self) { try XMLEncoder().data(["p:b": 1], rootName: "w") }
    #expect(throws: XMLWritingError.self) { try XMLEncoder().data([1]) }
    #expect(throws: XMLWritingError.self) { try XMLEncoder().data("\u{0}", rootName: "w") }
  }

  @Test func `nesting ends at its limit, both ways`() throws {
    final class Chain: Codable {
      var next: Chain?
      init(_ next: Chain?) { self.next = next }
    }
    var chain = Chain(nil)
    for _ in 0..<600 { chain = Chain(chain) }
    #expect(throws: EncodingError.self) { try XMLEncoder().data(chain, rootName: "c") }
    var decoder = XMLDecoder()
    decoder.parsingOptions.maximumDepth = 1000
    let text = "<c>" + String(repeating: "<next>", count: 600) + String(repeating: "</next>", count: 600) + "</c>"
    #expect(throws: DecodingError.self) { try decoder.decode(Chain.self, from: Data(text.utf8)) }
  }
}
