// swift-format-ignore-file
// The public interface of CurlewYAML, written by `swift package api-text`.

import CLibyaml
import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Glibc

public struct YAMLCoding : CurlewSerialization.ValueCoding {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: YAMLValueDecoder

    public var encoder: YAMLValueEncoder

    public var format: YAMLFormat

    public init(decoder: YAMLValueDecoder = YAMLValueDecoder(), encoder: YAMLValueEncoder = YAMLValueEncoder(), format: YAMLFormat = .block)

    public var mediaType: CurlewCore.MediaType { get }

    public func recognizes(_ prefix: Data) -> Bool

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public enum YAMLDateStrategy : Sendable, Hashable {

    case iso8601

    case secondsSince1970
}

public struct YAMLDocumentsResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: YAMLParsingOptions

    public init(options: YAMLParsingOptions = YAMLParsingOptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> [YAMLValue]
}

public struct YAMLError : Error, Sendable, Hashable {

    public struct Kind : Sendable, Hashable {

        public static let empty: YAMLError.Kind

        public static let moreThanOneDocument: YAMLError.Kind

        public static let syntax: YAMLError.Kind

        public static let invalidEncoding: YAMLError.Kind

        public static let duplicateKey: YAMLError.Kind

        public static let unknownAnchor: YAMLError.Kind

        public static let recursiveAlias: YAMLError.Kind

        public static let tagMismatch: YAMLError.Kind

        public static let invalidMerge: YAMLError.Kind

        public static let tooDeep: YAMLError.Kind

        public static let tooManyBytes: YAMLError.Kind

        public static let tooManyAliases: YAMLError.Kind

        public static let tooManyExpandedNodes: YAMLError.Kind

        public static let tooManyExpandedBytes: YAMLError.Kind

        public static let tooManyMarks: YAMLError.Kind

        public static let numberTooLong: YAMLError.Kind

        public static let tooManyDirectives: YAMLError.Kind

        public static let outOfMemory: YAMLError.Kind
    }

    public let kind: YAMLError.Kind

    public let line: Int

    public let column: Int

    public let reason: String
}

extension YAMLError : CustomStringConvertible {

    public var description: String { get }
}

extension YAMLError : LocalizedError {

    public var errorDescription: String? { get }
}

extension YAMLError.Kind : CustomStringConvertible {

    public var description: String { get }
}

public struct YAMLFloat : Sendable {

    public let text: String

    public static let infinity: YAMLFloat

    public static let negativeInfinity: YAMLFloat

    public static let nan: YAMLFloat

    public init(_ value: Double)

    public init(_ value: Float)

    public init?(text: String)

    public var isFinite: Bool { get }

    public var double: Double { get }

    public func exactly<Integer>(_ type: Integer.Type = Integer.self) -> Integer? where Integer : FixedWidthInteger
}

extension YAMLFloat : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension YAMLFloat : Hashable {

    public static func == (left: YAMLFloat, right: YAMLFloat) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension YAMLFloat : ExpressibleByFloatLiteral {

    public init(floatLiteral value: Double)
}

extension YAMLFloat : CustomStringConvertible {

    public var description: String { get }
}

public struct YAMLFormat : Sendable, Hashable {

    public enum Style : Sendable, Hashable {

        case block

        case flow
    }

    public var style: YAMLFormat.Style

    public var indentation: Int

    public var startsDocuments: Bool

    public init(_ style: YAMLFormat.Style = .block)

    public static let block: YAMLFormat

    public static let flow: YAMLFormat
}

public struct YAMLInteger : Sendable, Hashable {

    public let text: String

    public init(_ value: some BinaryInteger)

    public init?(text: String)

    public func exactly<Integer>(_ type: Integer.Type = Integer.self) -> Integer? where Integer : FixedWidthInteger

    public var int: Int? { get }

    public var double: Double { get }
}

extension YAMLInteger : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension YAMLInteger : ExpressibleByIntegerLiteral {

    public init(integerLiteral value: Int)
}

extension YAMLInteger : CustomStringConvertible {

    public var description: String { get }
}

public struct YAMLMapping : Sendable {

    public init()

    public init(_ entries: some Sequence<(YAMLValue, YAMLValue)>)

    public subscript(key: YAMLValue) -> YAMLValue?

    public subscript(key: String) -> YAMLValue?

    public var keys: some RandomAccessCollection<YAMLValue> & Sendable { get }
}

extension YAMLMapping : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension YAMLMapping : RandomAccessCollection {

    public typealias Element = (key: YAMLValue, value: YAMLValue)

    public var startIndex: Int { get }

    public var endIndex: Int { get }

    public subscript(position: Int) -> YAMLMapping.Element { get }
}

extension YAMLMapping : Hashable {

    public static func == (left: YAMLMapping, right: YAMLMapping) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension YAMLMapping : ExpressibleByDictionaryLiteral {

    public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...)
}

public struct YAMLParsingOptions : Sendable, Hashable {

    public enum MergeKeys : Sendable, Hashable {

        case bySchema

        case always

        case never
    }

    public static let greatestDepth: Int

    public var schema: YAMLSchema

    public var mergeKeys: YAMLParsingOptions.MergeKeys

    public var maximumDepth: Int

    public var maximumBytes: Int

    public var maximumAliases: Int

    public var maximumExpandedNodes: Int

    public var maximumExpandedBytes: Int

    public var maximumNumberBytes: Int

    public init()
}

public struct YAMLRequestSerializer : CurlewSerialization.RequestSerializer {

    public var defaults: CurlewSerialization.RequestDefaults

    public var format: YAMLFormat

    public var encoder: YAMLValueEncoder

    public init(defaults: CurlewSerialization.RequestDefaults = RequestDefaults(), format: YAMLFormat = .block, encoder: YAMLValueEncoder = YAMLValueEncoder())

    public func serialize(_ request: CurlewCore.Request, _ parameters: CurlewSerialization.Parameters?) throws -> CurlewCore.Request

    public func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request
}

public struct YAMLResponseSerializer<Value> : CurlewSerialization.ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: YAMLValueDecoder

    public init(_ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

public enum YAMLSchema : String, Sendable, Hashable, CaseIterable {

    case failsafe

    case json

    case core

    case yaml11
}

public struct YAMLTagged : Sendable, Hashable {

    public var tag: String { get }

    public var value: YAMLValue { get }

    public init?(_ tag: String, _ value: YAMLValue)

    public static func == (left: YAMLTagged, right: YAMLTagged) -> Bool

    public func hash(into hasher: inout Hasher)
}

public enum YAMLValue : Sendable {

    case null

    case bool(Bool)

    case int(YAMLInteger)

    case float(YAMLFloat)

    case string(String)

    case sequence([YAMLValue])

    case mapping(YAMLMapping)

    case tagged(YAMLTagged)
}

extension YAMLValue : Decodable {

    public init(from decoder: any Decoder) throws
}

extension YAMLValue : Encodable {

    public func encode(to encoder: any Encoder) throws
}

extension YAMLValue {

    public init(parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError)

    public init(parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError)

    public init(parsing bytes: [UInt8], options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError)

    public init(parsing text: String, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError)

    public static func documents(parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) -> [YAMLValue]

    public static func documents(parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) -> [YAMLValue]

    public static func documents(parsing text: String, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) -> [YAMLValue]
}

extension YAMLValue {

    public var untagged: YAMLValue { get }

    public var tag: String? { get }

    public var isNull: Bool { get }

    public var boolValue: Bool? { get }

    public var intValue: Int? { get }

    public var doubleValue: Double? { get }

    public var stringValue: String? { get }

    public var sequenceValue: [YAMLValue]? { get }

    public var mappingValue: YAMLMapping? { get }

    public subscript(key: String) -> YAMLValue? { get }

    public subscript(position: Int) -> YAMLValue? { get }

    public var scalarText: String? { get }
}

extension YAMLValue : Hashable {

    public static func == (left: YAMLValue, right: YAMLValue) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension YAMLValue : ExpressibleByNilLiteral {

    public init(nilLiteral: ())
}

extension YAMLValue : ExpressibleByBooleanLiteral {

    public init(booleanLiteral value: Bool)
}

extension YAMLValue : ExpressibleByIntegerLiteral {

    public init(integerLiteral value: Int)
}

extension YAMLValue : ExpressibleByFloatLiteral {

    public init(floatLiteral value: Double)
}

extension YAMLValue : ExpressibleByStringLiteral {

    public init(stringLiteral value: String)
}

extension YAMLValue : ExpressibleByStringInterpolation {
}

extension YAMLValue : ExpressibleByArrayLiteral {

    public init(arrayLiteral elements: YAMLValue...)
}

extension YAMLValue : ExpressibleByDictionaryLiteral {

    public init(dictionaryLiteral elements: (YAMLValue, YAMLValue)...)
}

extension YAMLValue {

    public func data(_ format: YAMLFormat = .block) -> Data

    public func text(_ format: YAMLFormat = .block) -> String

    public static func data(documents: some Sequence<YAMLValue>, _ format: YAMLFormat = .block) -> Data
}

public struct YAMLValueDecoder : Sendable {

    public static let maximumDepth: Int

    public var parsingOptions: YAMLParsingOptions

    public var dateStrategy: YAMLDateStrategy

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func decode<Value>(_ type: Value.Type, from data: Data) throws -> Value where Value : Decodable

    public func decode<Value>(_ type: Value.Type, from text: String) throws -> Value where Value : Decodable

    public func decode<Value>(_ type: Value.Type, from value: YAMLValue) throws -> Value where Value : Decodable
}

public struct YAMLValueEncoder : Sendable {

    public static let maximumDepth: Int

    public var dateStrategy: YAMLDateStrategy

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init()

    public func encode(_ value: some Encodable) throws -> YAMLValue

    public func data(_ value: some Encodable, as format: YAMLFormat = .block) throws -> Data
}

public struct YAMLValueResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: YAMLParsingOptions

    public init(options: YAMLParsingOptions = YAMLParsingOptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> YAMLValue?
}

extension ValueCoding where Self == YAMLCoding {

    public static var yaml: YAMLCoding { get }
}

extension RequestSerializer where Self == YAMLRequestSerializer {

    public static var yaml: YAMLRequestSerializer { get }
}

extension ResponseSerializer where Self == YAMLValueResponseSerializer {

    public static var yamlValue: YAMLValueResponseSerializer { get }
}

extension ResponseSerializer where Self == YAMLDocumentsResponseSerializer {

    public static var yamlDocuments: YAMLDocumentsResponseSerializer { get }
}

extension ResponseSerializer {

    public static func yaml<Value>(_ type: Value.Type = Value.self, decoder: YAMLValueDecoder = YAMLValueDecoder()) -> YAMLResponseSerializer<Value> where Self == YAMLResponseSerializer<Value>, Value : Decodable, Value : Sendable
}
