// swift-format-ignore-file
// The public interface of CurlewJSON, written by `swift package api-text`.

import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Glibc

public struct JSONCoding : CurlewSerialization.ValueCoding {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: JSONValueDecoder

    public var encoder: JSONValueEncoder

    public var format: JSONFormat

    public var removesNulls: Bool

    public init(decoder: JSONValueDecoder? = nil, encoder: JSONValueEncoder? = nil, format: JSONFormat = .canonical)

    public var mediaType: CurlewCore.MediaType { get }

    public func recognizes(_ prefix: Data) -> Bool

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public struct JSONError : Error, Sendable, Hashable {

    public struct Kind : Sendable, Hashable {

        public static let empty: JSONError.Kind

        public static let unexpectedEnd: JSONError.Kind

        public static let unexpectedCharacter: JSONError.Kind

        public static let trailingContent: JSONError.Kind

        public static let invalidNumber: JSONError.Kind

        public static let invalidEscape: JSONError.Kind

        public static let loneSurrogate: JSONError.Kind

        public static let controlCharacter: JSONError.Kind

        public static let invalidUTF8: JSONError.Kind

        public static let duplicateName: JSONError.Kind

        public static let byteOrderMark: JSONError.Kind

        public static let tooDeep: JSONError.Kind

        public static let tooManyBytes: JSONError.Kind

        public static let stringTooLong: JSONError.Kind

        public static let tooManyMarks: JSONError.Kind

        public static let numberTooLong: JSONError.Kind
    }

    public let kind: JSONError.Kind

    public let offset: Int

    public let line: Int

    public let column: Int

    public let reason: String
}

extension JSONError : CustomStringConvertible {

    public var description: String { get }
}

extension JSONError : LocalizedError {

    public var errorDescription: String? { get }
}

extension JSONError.Kind : CustomStringConvertible {

    public var description: String { get }
}

public struct JSONFormat : Sendable, Hashable {

    public enum MemberOrder : Sendable, Hashable {

        case source

        case sorted
    }

    public var indentation: Int?

    public var memberOrder: JSONFormat.MemberOrder

    public init(indentation: Int? = nil, memberOrder: JSONFormat.MemberOrder = .source)

    public static let canonical: JSONFormat

    public static let sorted: JSONFormat

    public static let pretty: JSONFormat
}

public enum JSONFraming : Sendable, Hashable {

    case lines

    case textSequence

    public func record(_ value: JSONValue) -> Data
}

public struct JSONNumber : Sendable {

    public init(_ value: some BinaryInteger)

    public init?(_ value: Double)

    public init?(_ value: Float)

    public init?(text: String)

    public var text: String { get }
}

extension JSONNumber : Decodable {

    public init(from decoder: any Decoder) throws
}

extension JSONNumber : Encodable {

    public func encode(to encoder: any Encoder) throws
}

extension JSONNumber : CustomStringConvertible {

    public var description: String { get }
}

extension JSONNumber : ExpressibleByIntegerLiteral {

    public init(integerLiteral value: Int)
}

extension JSONNumber {

    public func exactly<Integer>(_ type: Integer.Type = Integer.self) -> Integer? where Integer : FixedWidthInteger

    public var int: Int? { get }

    public var double: Double? { get }

    public var decimal: Decimal? { get }

    public init?(_ value: Decimal)
}

extension JSONNumber : Hashable {

    public static func == (left: JSONNumber, right: JSONNumber) -> Bool

    public func hash(into hasher: inout Hasher)
}

public struct JSONObject : Sendable {

    public init()

    public init(_ members: some Sequence<(name: String, value: JSONValue)>)

    public mutating func reserveCapacity(_ count: Int)

    public subscript(name: String) -> JSONValue?

    public func values(named name: String) -> [JSONValue]

    @discardableResult
    public mutating func removeValue(named name: String) -> JSONValue?

    public var names: some RandomAccessCollection<String> & Sendable { get }
}

extension JSONObject : Decodable {

    public init(from decoder: any Decoder) throws
}

extension JSONObject : Encodable {

    public func encode(to encoder: any Encoder) throws
}

extension JSONObject : CustomStringConvertible {

    public var description: String { get }
}

extension JSONObject : RandomAccessCollection {

    public typealias Element = (name: String, value: JSONValue)

    public var startIndex: Int { get }

    public var endIndex: Int { get }

    public subscript(position: Int) -> JSONObject.Element { get }
}

extension JSONObject : ExpressibleByDictionaryLiteral {

    public init(dictionaryLiteral elements: (String, JSONValue)...)
}

extension JSONObject : Hashable {

    public static func == (left: JSONObject, right: JSONObject) -> Bool

    public func hash(into hasher: inout Hasher)
}

public struct JSONParsingOptions : Sendable, Hashable {

    public enum DuplicateNames : Sendable, Hashable {

        case keepLast

        case keepFirst

        case refuse

        case keepAll
    }

    public enum LoneSurrogates : Sendable, Hashable {

        case refuse

        case replace
    }

    public static let greatestDepth: Int

    public var maximumDepth: Int

    public var maximumBytes: Int

    public var maximumStringBytes: Int

    public var maximumNumberBytes: Int

    public var duplicateNames: JSONParsingOptions.DuplicateNames

    public var loneSurrogates: JSONParsingOptions.LoneSurrogates

    public var allowsByteOrderMark: Bool

    public init()
}

public struct JSONRecord : Sendable, Hashable {

    public let bytes: Data

    public let number: Int

    public let offset: Int
}

public struct JSONRecordError : Error, Sendable {

    public struct Kind : Sendable, Hashable {

        public static let tooLong: JSONRecordError.Kind

        public static let blank: JSONRecordError.Kind

        public static let truncated: JSONRecordError.Kind

        public static let missingSeparator: JSONRecordError.Kind

        public static let invalid: JSONRecordError.Kind
    }

    public let kind: JSONRecordError.Kind

    public let framing: JSONFraming

    public let number: Int

    public let offset: Int

    public let underlyingError: (any Error)?

    public var column: Int? { get }
}

extension JSONRecordError : CustomStringConvertible {

    public var description: String { get }
}

extension JSONRecordError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct JSONRecordFramer : Sendable {

    public init(_ framing: JSONFraming, options: JSONRecordOptions = JSONRecordOptions())

    public mutating func append(_ chunk: Data)

    public mutating func finish()

    public mutating func next() throws(JSONRecordError) -> JSONRecord?
}

public struct JSONRecordOptions : Sendable {

    public enum BlankRecords : Sendable, Hashable {

        case skip

        case refuse
    }

    public enum InvalidRecords : Sendable {

        case stop

        case skip(@Sendable (JSONRecordError) -> Void)
    }

    public var maximumRecordBytes: Int

    public var blankRecords: JSONRecordOptions.BlankRecords

    public var invalidRecords: JSONRecordOptions.InvalidRecords

    public var parsing: JSONParsingOptions

    public init()
}

public struct JSONRecordSequence<Base, Element> : AsyncSequence where Base : AsyncSequence, Element : Sendable, Base.Element == Data {

    public func makeAsyncIterator() -> JSONRecordSequence<Base, Element>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> Element?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element?
    }
}

extension JSONRecordSequence : Sendable where Base : Sendable {
}

public struct JSONRequestSerializer : CurlewSerialization.RequestSerializer {

    public var defaults: CurlewSerialization.RequestDefaults

    public var format: JSONFormat

    public var encoder: JSONValueEncoder

    public init(defaults: CurlewSerialization.RequestDefaults = RequestDefaults(), format: JSONFormat = .canonical, encoder: JSONValueEncoder? = nil)

    public func serialize(_ request: CurlewCore.Request, _ parameters: CurlewSerialization.Parameters?) throws -> CurlewCore.Request

    public func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request
}

public struct JSONResponseSerializer<Value> : CurlewSerialization.ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: JSONValueDecoder

    public var removesNulls: Bool

    public init(_ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

public enum JSONValue : Sendable {

    case null

    case bool(Bool)

    case number(JSONNumber)

    case string(String)

    case array([JSONValue])

    case object(JSONObject)
}

extension JSONValue : Decodable {

    public init(from decoder: any Decoder) throws
}

extension JSONValue : Encodable {

    public func encode(to encoder: any Encoder) throws
}

extension JSONValue {

    public init(parsing bytes: UnsafeRawBufferPointer, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError)

    public init(parsing data: Data, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError)

    public init(parsing bytes: [UInt8], options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError)

    public init(parsing text: String, options: JSONParsingOptions = JSONParsingOptions()) throws(JSONError)
}

extension JSONValue {

    public func data(_ format: JSONFormat = .canonical) -> Data

    public func text(_ format: JSONFormat = .canonical) -> String
}

extension JSONValue : CustomStringConvertible {

    public var description: String { get }
}

extension JSONValue {

    public var isNull: Bool { get }

    public var boolValue: Bool? { get }

    public var numberValue: JSONNumber? { get }

    public var intValue: Int? { get }

    public var doubleValue: Double? { get }

    public var stringValue: String? { get }

    public var arrayValue: [JSONValue]? { get }

    public var objectValue: JSONObject? { get }

    public subscript(name: String) -> JSONValue? { get }

    public subscript(position: Int) -> JSONValue? { get }
}

extension JSONValue : Hashable {

    public static func == (left: JSONValue, right: JSONValue) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension JSONValue : ExpressibleByNilLiteral {

    public init(nilLiteral: ())
}

extension JSONValue : ExpressibleByBooleanLiteral {

    public init(booleanLiteral value: Bool)
}

extension JSONValue : ExpressibleByIntegerLiteral {

    public init(integerLiteral value: Int)
}

extension JSONValue : ExpressibleByFloatLiteral {

    public init(floatLiteral value: Double)
}

extension JSONValue : ExpressibleByStringLiteral {

    public init(stringLiteral value: String)
}

extension JSONValue : ExpressibleByStringInterpolation {
}

extension JSONValue : ExpressibleByArrayLiteral {

    public init(arrayLiteral elements: JSONValue...)
}

extension JSONValue : ExpressibleByDictionaryLiteral {

    public init(dictionaryLiteral elements: (String, JSONValue)...)
}

extension JSONValue {

    public func removingNulls(fromArrays: Bool = true) -> JSONValue
}

public struct JSONValueDecoder : Sendable {

    public static let maximumDepth: Int

    public var parsingOptions: JSONParsingOptions

    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy

    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy

    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy

    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func decode<Value>(_ type: Value.Type, from data: Data) throws -> Value where Value : Decodable

    public func decode<Value>(_ type: Value.Type, from value: JSONValue) throws -> Value where Value : Decodable
}

public struct JSONValueEncoder : Sendable {

    public static let maximumDepth: Int

    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy

    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy

    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy

    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func encode(_ value: some Encodable) throws -> JSONValue

    public func data(_ value: some Encodable, as format: JSONFormat = .canonical) throws -> Data
}

public struct JSONValueResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: JSONParsingOptions

    public var removesNulls: Bool

    public init(options: JSONParsingOptions = JSONParsingOptions(), removesNulls: Bool = false)

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> JSONValue?
}

extension ValueCoding where Self == JSONCoding {

    public static var json: JSONCoding { get }
}

extension RequestSerializer where Self == JSONRequestSerializer {

    public static var json: JSONRequestSerializer { get }
}

extension ResponseSerializer where Self == JSONValueResponseSerializer {

    public static var jsonValue: JSONValueResponseSerializer { get }
}

extension ResponseSerializer {

    public static func json<Value>(_ type: Value.Type = Value.self, decoder: JSONValueDecoder = JSONValueDecoder()) -> JSONResponseSerializer<Value> where Self == JSONResponseSerializer<Value>, Value : Decodable, Value : Sendable
}

extension AsyncSequence where Self.Element == Data {

    public func jsonLines(options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, JSONValue>

    public func jsonLines<Value>(as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(), options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, Value> where Value : Decodable, Value : Sendable

    public func jsonTextSequence(options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, JSONValue>

    public func jsonTextSequence<Value>(as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(), options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, Value> where Value : Decodable, Value : Sendable
}
