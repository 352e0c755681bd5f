// swift-format-ignore-file
// The public interface of CurlewCBOR, written by `swift package api-text`.

import CurlewCore
import CurlewSerialization
import FoundationEssentials

public struct CBORCoding : CurlewSerialization.ValueCoding {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: CBORDecoder

    public var encoder: CBOREncoder

    public init(decoder: CBORDecoder = CBORDecoder(), encoder: CBOREncoder = CBOREncoder())

    public var mediaType: CurlewCore.MediaType { get }

    public func recognizes(_ prefix: Data) -> Bool

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public struct CBORDecoder : Sendable {

    public var options: CBOROptions

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init(options: CBOROptions = CBOROptions())

    public func decode<Value>(_ type: Value.Type, from bytes: Data) throws -> Value where Value : Decodable

    public func decode<Value>(_ type: Value.Type, from value: CBORValue) throws -> Value where Value : Decodable
}

public struct CBOREncoder : Sendable {

    public enum DateFormat : Sendable, Hashable {

        case epoch

        case text
    }

    public static let maximumDepth: Int

    public var format: CBORFormat

    public var dateFormat: CBOREncoder.DateFormat

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init(format: CBORFormat = .preferred)

    public func encode(_ value: some Encodable) throws -> Data

    public func value(of value: some Encodable) throws -> CBORValue
}

public struct CBORError : Error, Sendable, Hashable {

    public struct Kind : Sendable, Hashable {

        public static let empty: CBORError.Kind

        public static let unexpectedEnd: CBORError.Kind

        public static let trailingContent: CBORError.Kind

        public static let reservedInitialByte: CBORError.Kind

        public static let unexpectedBreak: CBORError.Kind

        public static let invalidChunk: CBORError.Kind

        public static let invalidSimpleValue: CBORError.Kind

        public static let invalidUTF8: CBORError.Kind

        public static let duplicateKey: CBORError.Kind

        public static let notDeterministic: CBORError.Kind

        public static let tooDeep: CBORError.Kind

        public static let tooManyItems: CBORError.Kind

        public static let tooManyMarks: CBORError.Kind

        public static let stringTooLong: CBORError.Kind
    }

    public let kind: CBORError.Kind

    public let offset: Int
}

extension CBORError : CustomStringConvertible {

    public var description: String { get }
}

extension CBORError : LocalizedError {

    public var errorDescription: String? { get }
}

public enum CBORFormat : Sendable, Hashable {

    case preferred

    case deterministic
}

public struct CBOROptions : Sendable, Hashable {

    public var maximumDepth: Int

    public var maximumItems: Int

    public var maximumStringBytes: Int

    public var requiresDeterministicEncoding: Bool

    public init()
}

public struct CBORRequestSerializer : CurlewSerialization.RequestSerializer {

    public var defaults: CurlewSerialization.RequestDefaults

    public var encoder: CBOREncoder

    public init(defaults: CurlewSerialization.RequestDefaults = RequestDefaults(), encoder: CBOREncoder = CBOREncoder())

    public func serialize(_ request: CurlewCore.Request, _ parameters: CurlewSerialization.Parameters?) throws -> CurlewCore.Request

    public func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request
}

public struct CBORResponseSerializer<Value> : CurlewSerialization.ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: CBORDecoder

    public init(_ type: Value.Type = Value.self, decoder: CBORDecoder = CBORDecoder())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

indirect public enum CBORValue : Sendable, Hashable {

    case unsigned(UInt64)

    case negative(UInt64)

    case bytes(Data)

    case text(String)

    case array([CBORValue])

    case map([CBORValue.Entry])

    case tagged(UInt64, CBORValue)

    case bool(Bool)

    case null

    case undefined

    case simple(UInt8)

    case float(Double)

    public struct Entry : Sendable, Hashable {

        public var key: CBORValue

        public var value: CBORValue

        public init(_ key: CBORValue, _ value: CBORValue)
    }

    public static func == (left: CBORValue, right: CBORValue) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension CBORValue : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension CBORValue {

    public init(parsing bytes: Data, options: CBOROptions = CBOROptions()) throws(CBORError)

    public static func sequence(parsing bytes: Data, options: CBOROptions = CBOROptions()) throws(CBORError) -> [CBORValue]
}

extension CBORValue {

    public init(_ number: some FixedWidthInteger)

    public func exactly<Integer>(_ type: Integer.Type = Integer.self) -> Integer? where Integer : FixedWidthInteger
}

extension CBORValue : ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {

    public init(nilLiteral: ())

    public init(booleanLiteral value: Bool)

    public init(integerLiteral value: Int64)

    public init(floatLiteral value: Double)

    public init(stringLiteral value: String)

    public init(arrayLiteral elements: CBORValue...)

    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...)
}

extension CBORValue {

    public func data(_ format: CBORFormat = .preferred) throws(CBORError) -> Data
}

public struct CBORValueResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: CBOROptions

    public init(options: CBOROptions = CBOROptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> CBORValue
}

extension ValueCoding where Self == CBORCoding {

    public static var cbor: CBORCoding { get }
}

extension MediaType {

    public static let cbor: CurlewCore.MediaType

    public static let cborSequence: CurlewCore.MediaType
}

extension RequestSerializer where Self == CBORRequestSerializer {

    public static var cbor: CBORRequestSerializer { get }
}

extension ResponseSerializer where Self == CBORValueResponseSerializer {

    public static var cborValue: CBORValueResponseSerializer { get }
}

extension ResponseSerializer {

    public static func cbor<Value>(_ type: Value.Type = Value.self, decoder: CBORDecoder = CBORDecoder()) -> CBORResponseSerializer<Value> where Self == CBORResponseSerializer<Value>, Value : Decodable, Value : Sendable
}
