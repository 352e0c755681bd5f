// swift-format-ignore-file
// The public interface of CurlewXML, written by `swift package api-text`.

import CLibxml2
import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Glibc

public struct CanonicalXMLError : Error, Sendable, Hashable, CustomStringConvertible {

    public let reason: String

    public var description: String { get }
}

extension CanonicalXMLError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct XMLAttribute : Sendable, Hashable {

    public var name: XMLName

    public var value: String

    public init(_ name: XMLName, _ value: String)
}

public protocol XMLAttributeCoding {

    static func isAttribute(_ key: any CodingKey) -> Bool
}

public struct XMLCoding : CurlewSerialization.ValueCoding {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: XMLDecoder

    public var encoder: XMLEncoder

    public var rootName: String?

    public var format: XMLFormat

    public init(decoder: XMLDecoder = XMLDecoder(), encoder: XMLEncoder = XMLEncoder(), rootName: String? = nil, format: XMLFormat = .compact)

    public var mediaType: CurlewCore.MediaType { get }

    public func recognizes(_ prefix: Data) -> Bool

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public struct XMLDecoder : Sendable {

    public static let maximumDepth: Int

    public enum DateStrategy : Sendable {

        case iso8601

        case secondsSince1970

        case millisecondsSince1970

        case custom(@Sendable (String) -> Date?)
    }

    public var parsingOptions: XMLParsingOptions

    public var dateStrategy: XMLDecoder.DateStrategy

    public var namespaces: [String : String]

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func decode<Value>(_ type: Value.Type, from data: Data) throws -> Value where Value : Decodable

    public func decode<Value>(_ type: Value.Type, from element: XMLElement) throws -> Value where Value : Decodable
}

public struct XMLDocument : Sendable {

    public let root: XMLElement

    public init(parsing data: Data, charset: CurlewCore.Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError)

    public init(parsing text: String, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError)

    public var version: String { get }

    public var encoding: String? { get }

    public var isStandalone: Bool? { get }

    public var nodes: XMLNodes { get }

    public var documentType: XMLDocumentType? { get }
}

extension XMLDocument {

    public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data
}

extension XMLDocument {

    public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue

    public func elements(_ path: XPath) throws(XPathError) -> [XMLElement]
}

public struct XMLDocumentResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: XMLParsingOptions

    public init(options: XMLParsingOptions = XMLParsingOptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> XMLDocument
}

public struct XMLDocumentType : Sendable, Hashable {

    public var name: String

    public var publicID: String?

    public var systemID: String?
}

public struct XMLElement : @unchecked Sendable {

    public var name: XMLName { get }

    public var localName: String { get }

    public var namespace: String? { get }

    public var line: Int { get }

    public var parent: XMLElement? { get }

    public var text: String { get }
}

extension XMLElement {

    public func canonical(keepsComments: Bool = false) throws(CanonicalXMLError) -> Data
}

extension XMLElement : Hashable {

    public static func == (left: XMLElement, right: XMLElement) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension XMLElement {

    public var attributes: [XMLAttribute] { get }

    public func attribute(_ localName: String, namespace: String? = nil) -> String?

    public var namespaceDeclarations: [XMLNamespaceDeclaration] { get }
}

extension XMLElement {

    public var children: XMLNodes { get }

    public var elements: XMLElements { get }

    public func elements(_ name: XMLName) -> XMLElements

    public func first(_ name: XMLName) -> XMLElement?
}

extension XMLElement {

    public func evaluate(_ path: XPath) throws(XPathError) -> XPathValue

    public func elements(_ path: XPath) throws(XPathError) -> [XMLElement]
}

extension XMLElement {

    public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data
}

public struct XMLElementBuilder : Sendable, Hashable {

    public enum Child : Sendable, Hashable {

        case element(XMLElementBuilder)

        case text(String)

        case comment(String)

        case processingInstruction(target: String, data: String)
    }

    public var name: XMLName

    public var attributes: [XMLAttribute]

    public var declarations: [XMLNamespaceDeclaration]

    public var children: [XMLElementBuilder.Child]

    public init(_ name: XMLName, attributes: [XMLAttribute] = [], declarations: [XMLNamespaceDeclaration] = [], children: [XMLElementBuilder.Child] = [])

    public init(_ name: XMLName, attributes: [XMLAttribute] = [], text: String)

    public mutating func append(_ element: XMLElementBuilder)

    public mutating func append(text: String)

    public func data(_ format: XMLFormat = .compact) throws(XMLWritingError) -> Data

    public func document(options: XMLParsingOptions = XMLParsingOptions()) throws -> XMLDocument
}

extension XMLElementBuilder {

    public init(_ element: XMLElement)
}

public struct XMLElements : Sequence, @unchecked Sendable {

    public func makeIterator() -> XMLElements.Iterator

    public struct Iterator : IteratorProtocol {

        public mutating func next() -> XMLElement?
    }
}

public struct XMLEncoder : Sendable {

    public static let maximumDepth: Int

    public enum DateStrategy : Sendable {

        case iso8601

        case secondsSince1970

        case millisecondsSince1970

        case custom(@Sendable (Date) -> String)
    }

    public var dateStrategy: XMLEncoder.DateStrategy

    public var defaultNamespace: String?

    public var namespaces: [String : String]

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func data(_ value: some Encodable, rootName: String? = nil, as format: XMLFormat = .compact) throws -> Data

    public func draft<Value>(_ value: Value, rootName: String? = nil) throws -> XMLElementBuilder where Value : Encodable
}

public struct XMLError : Error, Sendable, Hashable {

    public struct Kind : Sendable, Hashable {

        public static let empty: XMLError.Kind

        public static let malformed: XMLError.Kind

        public static let truncated: XMLError.Kind

        public static let namespace: XMLError.Kind

        public static let encoding: XMLError.Kind

        public static let undeclaredEntity: XMLError.Kind

        public static let externalEntity: XMLError.Kind

        public static let expansion: XMLError.Kind

        public static let tooDeep: XMLError.Kind

        public static let tooLarge: XMLError.Kind

        public static let tooManyAttributes: XMLError.Kind

        public static let tooManyNamespaces: XMLError.Kind

        public static let tooManyNodes: XMLError.Kind

        public static let outOfMemory: XMLError.Kind
    }

    public let kind: XMLError.Kind

    public let line: Int

    public let column: Int

    public let reason: String
}

extension XMLError : CustomStringConvertible {

    public var description: String { get }
}

extension XMLError : LocalizedError {

    public var errorDescription: String? { get }
}

extension XMLError.Kind : CustomStringConvertible {

    public var description: String { get }
}

public enum XMLEvent : Sendable, Hashable {

    case startElement(XMLName, attributes: [XMLAttribute], declarations: [XMLNamespaceDeclaration])

    case endElement(XMLName)

    case text(String)

    case comment(String)

    case processingInstruction(target: String, data: String)
}

final public class XMLEventParser {

    public init(charset: CurlewCore.Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError)

    deinit

    public func append(_ chunk: Data) throws(XMLError)

    public func next() throws(XMLError) -> XMLEvent?

    public func finish() throws(XMLError)
}

public struct XMLEventSequence<Base> : AsyncSequence where Base : AsyncSequence, Base.Element == Data {

    public typealias Element = XMLEvent

    public func makeAsyncIterator() -> XMLEventSequence<Base>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> XMLEvent?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> XMLEvent?
    }
}

extension XMLEventSequence : Sendable where Base : Sendable {
}

public struct XMLEventsResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: XMLParsingOptions

    public init(options: XMLParsingOptions = XMLParsingOptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> XMLEventSequence<CurlewCore.ResponseBody>
}

public struct XMLFormat : Sendable, Hashable {

    public static let greatestDepth: Int

    public var hasDeclaration: Bool

    public var indentation: String?

    public var maximumDepth: Int

    public init()

    public static let compact: XMLFormat

    public static var pretty: XMLFormat { get }
}

public struct XMLName : Sendable {

    public var localName: String

    public var namespace: String?

    public var prefix: String?

    public init(_ localName: String, namespace: String? = nil, prefix: String? = nil)

    public var qualifiedName: String { get }

    public static let xmlNamespace: String
}

extension XMLName : Hashable {

    public static func == (left: XMLName, right: XMLName) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension XMLName : ExpressibleByStringLiteral {

    public init(stringLiteral localName: String)
}

extension XMLName : CustomStringConvertible {

    public var description: String { get }
}

public struct XMLNamespaceDeclaration : Sendable, Hashable {

    public var prefix: String?

    public var namespace: String

    public init(prefix: String?, namespace: String)
}

public enum XMLNode : Sendable, Hashable {

    case element(XMLElement)

    case text(String)

    case comment(String)

    case processingInstruction(target: String, data: String)
}

public struct XMLNodes : Sequence, @unchecked Sendable {

    public func makeIterator() -> XMLNodes.Iterator

    public struct Iterator : IteratorProtocol {

        public mutating func next() -> XMLNode?
    }
}

public struct XMLParsingOptions : Sendable, Hashable {

    public static let greatestDepth: Int

    public var maximumDepth: Int

    public var maximumBytes: Int

    public var maximumExpansionBytes: Int

    public var maximumAttributes: Int

    public var maximumNamespaces: Int

    public var maximumNodes: Int

    public init()
}

public struct XMLRequestSerializer : CurlewSerialization.RequestSerializer {

    public var defaults: CurlewSerialization.RequestDefaults

    public var rootName: String?

    public var format: XMLFormat

    public var encoder: XMLEncoder

    public init(rootName: String? = nil, defaults: CurlewSerialization.RequestDefaults = RequestDefaults(), format: XMLFormat = .compact, encoder: XMLEncoder = XMLEncoder())

    public func serialize(_ request: CurlewCore.Request, _ parameters: CurlewSerialization.Parameters?) throws -> CurlewCore.Request

    public func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request
}

public struct XMLResponseSerializer<Value> : CurlewSerialization.ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: XMLDecoder

    public init(_ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

public struct XMLWritingError : Error, Sendable, Hashable {

    public enum Kind : String, Sendable, Hashable {

        case invalidName

        case invalidCharacter

        case invalidContent

        case duplicateAttribute

        case invalidNamespace

        case tooDeep
    }

    public var kind: XMLWritingError.Kind

    public var name: String
}

extension XMLWritingError : CustomStringConvertible {

    public var description: String { get }
}

extension XMLWritingError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct XPath : Sendable, Hashable {

    public var expression: String

    public var namespaces: [String : String]

    public var variables: [String : String]

    public var maximumSteps: Int

    public var maximumBytes: Int

    public init(_ expression: String, namespaces: [String : String] = [:], variables: [String : String] = [:])
}

extension XPath : ExpressibleByStringLiteral {

    public init(stringLiteral expression: String)
}

public struct XPathError : Error, Sendable, Hashable {

    public enum Kind : String, Sendable, Hashable {

        case invalid

        case tooExpensive
    }

    public var kind: XPathError.Kind

    public var offset: Int?

    public var reason: String
}

extension XPathError : CustomStringConvertible {

    public var description: String { get }
}

extension XPathError : LocalizedError {

    public var errorDescription: String? { get }
}

public enum XPathNode : Sendable, Hashable {

    case document

    case node(XMLNode)

    case attribute(XMLAttribute)

    case namespace(XMLNamespaceDeclaration)
}

public enum XPathValue : Sendable, Hashable {

    case nodes([XPathNode])

    case number(Double)

    case string(String)

    case boolean(Bool)
}

extension XPathValue {

    public var elements: [XMLElement] { get }
}

extension ValueCoding where Self == XMLCoding {

    public static var xml: XMLCoding { get }
}

extension RequestSerializer where Self == XMLRequestSerializer {

    public static var xml: XMLRequestSerializer { get }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {

    public static var xmlDocument: XMLDocumentResponseSerializer { get }

    public static var xml: XMLDocumentResponseSerializer { get }
}

extension ResponseSerializer {

    public static func xml<Value>(_ type: Value.Type = Value.self, decoder: XMLDecoder = XMLDecoder()) -> XMLResponseSerializer<Value> where Self == XMLResponseSerializer<Value>, Value : Decodable, Value : Sendable
}

extension ResponseSerializer where Self == XMLEventsResponseSerializer {

    public static var xmlEvents: XMLEventsResponseSerializer { get }
}

extension AsyncSequence where Self.Element == Data {

    public func xmlEvents(charset: CurlewCore.Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()) -> XMLEventSequence<Self>
}
