// swift-format-ignore-file
// The public interface of CurlewSerialization, written by `swift package api-text`.

import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

public enum CharsetDecoder {

    public static func string(_ bytes: Data, as charset: CurlewCore.Charset) throws(CharsetError) -> String
}

public struct CharsetError : Error, Sendable, Hashable, CustomStringConvertible {

    public enum Kind : Sendable, Hashable {

        case unknown

        case malformed
    }

    public let kind: CharsetError.Kind

    public let charset: CurlewCore.Charset

    public var description: String { get }
}

extension CharsetError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct CodingResponseSerializer<Value> : ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: ResponseValidation

    public let formats: FormatRegistry

    public init(_ type: Value.Type = Value.self, by coding: any ValueCoding)

    public init(_ type: Value.Type = Value.self, by formats: FormatRegistry)

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

public struct CompoundResponseSerializer<Output> : ResponseSerializer where Output : Sendable {

    public let members: [any ResponseSerializer<Output>]

    public var validation: ResponseValidation { get }

    public init(_ members: [any ResponseSerializer<Output>])

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Output
}

public struct DataRequestSerializer : RequestSerializer {

    public var defaults: RequestDefaults

    public var mediaType: CurlewCore.MediaType

    public init(mediaType: CurlewCore.MediaType = .octetStream, defaults: RequestDefaults = RequestDefaults())

    public func serialize(_ request: CurlewCore.Request, _ parameters: Parameters?) throws -> CurlewCore.Request
}

public struct DataResponseSerializer : ResponseSerializer {

    public var validation: ResponseValidation

    public init(validation: ResponseValidation = ResponseValidation())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Data
}

public struct DecodedPropertyListResponseSerializer<Value> : ResponseSerializer where Value : Decodable, Value : Sendable {

    public var validation: ResponseValidation

    public var limits: PropertyList.Limits

    public init(_ type: Value.Type = Value.self, limits: PropertyList.Limits = PropertyList.Limits())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Value
}

public struct FormRequestSerializer : RequestSerializer {

    public var defaults: RequestDefaults

    public var form: QueryEncoding?

    public init(defaults: RequestDefaults = RequestDefaults(), form: QueryEncoding? = nil)

    public func serialize(_ request: CurlewCore.Request, _ parameters: Parameters?) throws -> CurlewCore.Request
}

public struct FormatRegistry : Sendable {

    public private(set) var all: [any ValueCoding] { get }

    public var sniffs: Bool

    public init(_ formats: [any ValueCoding] = [])

    public mutating func add(_ format: some ValueCoding)

    public mutating func remove(named name: String)

    public var isEmpty: Bool { get }

    public var first: (any ValueCoding)?

    public subscript(name: String) -> (any ValueCoding)? { get }

    public func format(for mediaType: CurlewCore.MediaType?, sniffing prefix: Data? = nil) -> (any ValueCoding)?

    public var accept: String? { get }
}

public struct MappedResponseSerializer<Inner, Output> : ResponseSerializer where Inner : ResponseSerializer, Output : Sendable {

    public var validation: ResponseValidation

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Output
}

public struct MultipartForm : Sendable {

    public struct Part : Sendable {

        public var headerFields: HTTPTypes.HTTPFields

        public var body: CurlewCore.Body

        public init(headerFields: HTTPTypes.HTTPFields, body: CurlewCore.Body)
    }

    public struct Throttle : Sendable, Hashable {

        public var packetBytes: Int

        public var delay: Duration

        public init(packetBytes: Int = 16_384, delay: Duration = .milliseconds(200))
    }

    public let boundary: String

    public var parts: [MultipartForm.Part]

    public var throttle: MultipartForm.Throttle?

    public init()

    public init(using generator: inout some RandomNumberGenerator)

    public init(boundary: String) throws(CurlewCore.MultipartError)

    public var mediaType: CurlewCore.MediaType { get }

    public var length: Int64? { get }

    public func body(clock: any CurlewCore.NetworkClock = .system, fileSystem: any CurlewCore.FileSystem = LocalFileSystem()) -> CurlewCore.Body

    public func applied(to request: CurlewCore.Request, clock: any CurlewCore.NetworkClock = .system, fileSystem: any CurlewCore.FileSystem = LocalFileSystem()) -> CurlewCore.Request
}

extension MultipartForm {

    public mutating func append(_ text: String, name: String) throws(CurlewCore.NetworkError)

    public mutating func append(_ data: Data, name: String, fileName: String? = nil, mediaType: CurlewCore.MediaType? = nil) throws(CurlewCore.NetworkError)

    public mutating func append(file url: URL, name: String, fileName: String? = nil, mediaType: CurlewCore.MediaType? = nil) throws(CurlewCore.NetworkError)

    public mutating func append(file path: String, name: String, fileName: String? = nil, mediaType: CurlewCore.MediaType? = nil) throws(CurlewCore.NetworkError)

    public mutating func append(_ body: CurlewCore.Body, name: String, fileName: String? = nil, mediaType: CurlewCore.MediaType? = nil) throws(CurlewCore.NetworkError)

    public mutating func append(headerFields: HTTPTypes.HTTPFields, body: CurlewCore.Body)

    public mutating func append(_ parameters: Parameters, encoding: QueryEncoding = QueryEncoding()) throws(CurlewCore.NetworkError)
}

extension MultipartForm {

    @discardableResult
    public func spooled(to path: String, fileSystem: any CurlewCore.FileSystem = LocalFileSystem()) async throws -> CurlewCore.Body

    @discardableResult
    public func spooled(to url: URL, fileSystem: any CurlewCore.FileSystem = LocalFileSystem()) async throws -> CurlewCore.Body
}

extension MultipartForm.Part : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct MultipartRequestSerializer : RequestSerializer {

    public var defaults: RequestDefaults

    public var throttle: MultipartForm.Throttle?

    public var build: @Sendable (inout MultipartForm) throws -> Void

    public init(defaults: RequestDefaults = RequestDefaults(), throttle: MultipartForm.Throttle? = nil, build: @escaping @Sendable (inout MultipartForm) throws -> Void = { _ in })

    public func serialize(_ request: CurlewCore.Request, _ parameters: Parameters?) throws -> CurlewCore.Request
}

public enum Parameters : Sendable, Hashable {

    case null

    case bool(Bool)

    case integer(Int128)

    case double(Double)

    case string(String)

    case date(Date)

    case data(Data)

    case array([Parameters])

    case set([Parameters])

    case object([Parameters.Member])

    public struct Member : Sendable, Hashable {

        public var name: String

        public var value: Parameters

        public init(_ name: String, _ value: Parameters)
    }

    public static let maximumDepth: Int
}

extension Parameters {

    public init(encoding value: some Encodable) throws

    public init(encoding pairs: KeyValuePairs<String, (any Encodable & Sendable)?>) throws
}

extension Parameters : Encodable {

    public func encode(to encoder: any Encoder) throws
}

extension Parameters : ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {

    public init(nilLiteral: ())

    public init(booleanLiteral value: Bool)

    public init(integerLiteral value: Int)

    public init(floatLiteral value: Double)

    public init(stringLiteral value: String)

    public init(arrayLiteral elements: Parameters...)

    public init(dictionaryLiteral elements: (String, Parameters)...)
}

extension Parameters.Member : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct ParametersError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let tooDeep: ParametersError.Kind

        public static let notNamed: ParametersError.Kind

        public static let unrepresentable: ParametersError.Kind
    }

    public let kind: ParametersError.Kind

    public let path: [String]

    public init(_ kind: ParametersError.Kind, at path: [String] = [])

    public var advice: String? { get }

    public var description: String { get }
}

extension ParametersError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public enum PropertyList : Sendable, Hashable {

    case string(String)

    case integer(Int128)

    case real(Double)

    case bool(Bool)

    case date(Date)

    case data(Data)

    case uid(UInt64)

    case array([PropertyList])

    case dictionary([PropertyList.Member])

    public struct Member : Sendable, Hashable {

        public var name: String

        public var value: PropertyList

        public init(_ name: String, _ value: PropertyList)
    }

    public subscript(name: String) -> PropertyList? { get }

    public enum Format : Sendable, Hashable, CaseIterable {

        case xml

        case binary
    }

    public struct Limits : Sendable, Hashable {

        public var bytes: Int

        public var depth: Int

        public var values: Int

        public init()
    }

    public init(parsing data: Data, limits: PropertyList.Limits = Limits()) throws(PropertyListError)

    public func data(_ format: PropertyList.Format = .xml) throws(PropertyListError) -> Data
}

extension PropertyList {

    public static func isRecognized(_ prefix: Data) -> Bool
}

extension PropertyList {

    public init(_ parameters: Parameters) throws(ParametersError)
}

public struct PropertyListCoding : ValueCoding {

    public var validation: ResponseValidation

    public var limits: PropertyList.Limits

    public var format: PropertyList.Format

    public init(limits: PropertyList.Limits = PropertyList.Limits(), format: PropertyList.Format = .xml)

    public var mediaType: CurlewCore.MediaType { get }

    public func recognizes(_ prefix: Data) -> Bool

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public struct PropertyListError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let unrecognized: PropertyListError.Kind

        public static let malformed: PropertyListError.Kind

        public static let encoding: PropertyListError.Kind

        public static let truncated: PropertyListError.Kind

        public static let tooLarge: PropertyListError.Kind

        public static let tooDeep: PropertyListError.Kind

        public static let unrepresentable: PropertyListError.Kind
    }

    public let kind: PropertyListError.Kind

    public let offset: Int

    public let reason: String

    public private(set) var line: Int? { get }

    public private(set) var column: Int? { get }

    public private(set) var path: [String] { get }

    public var description: String { get }
}

extension PropertyListError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct PropertyListRequestSerializer : RequestSerializer {

    public var defaults: RequestDefaults

    public var format: PropertyList.Format

    public init(format: PropertyList.Format = .xml, defaults: RequestDefaults = RequestDefaults())

    public func serialize(_ request: CurlewCore.Request, _ parameters: Parameters?) throws -> CurlewCore.Request
}

public struct PropertyListResponseSerializer : ResponseSerializer {

    public var validation: ResponseValidation

    public var limits: PropertyList.Limits

    public init(limits: PropertyList.Limits = PropertyList.Limits())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> PropertyList?
}

public struct QueryEncoding : Sendable {

    public enum ArrayStyle : Sendable, Hashable, CaseIterable {

        case brackets

        case indexed

        case repeated

        case commaSeparated
    }

    public enum KeyStyle : Sendable, Hashable, CaseIterable {

        case brackets

        case dots
    }

    public enum MemberOrder : Sendable, Hashable, CaseIterable {

        case sorted

        case source
    }

    public enum BoolStyle : Sendable, Hashable, CaseIterable {

        case numeric

        case literal
    }

    public enum NullStyle : Sendable, Hashable, CaseIterable {

        case nameAlone

        case emptyValue

        case literal

        case omitted
    }

    public enum DateStyle : Sendable {

        case description

        case iso8601

        case secondsSince1970

        case millisecondsSince1970

        case custom(@Sendable (Date) -> String)
    }

    public enum SpaceStyle : Sendable, Hashable, CaseIterable {

        case percent

        case plus
    }

    public var arrays: QueryEncoding.ArrayStyle

    public var keys: QueryEncoding.KeyStyle

    public var order: QueryEncoding.MemberOrder

    public var bools: QueryEncoding.BoolStyle

    public var nulls: QueryEncoding.NullStyle

    public var dates: QueryEncoding.DateStyle

    public var spaces: QueryEncoding.SpaceStyle

    public var custom: (@Sendable (Parameters) throws -> String)?

    public init()

    public static var html: QueryEncoding { get }

    public func string(_ parameters: Parameters) throws -> String
}

public struct RequestDefaults : Sendable {

    public var headerFields: HTTPTypes.HTTPFields

    public var options: CurlewCore.RequestOptions

    public var methodsWithParametersInURL: Set<HTTPTypes.HTTPRequest.Method>

    public var query: QueryEncoding

    public init()

    public func putsParametersInURL(_ method: HTTPTypes.HTTPRequest.Method) -> Bool

    public func applied(to request: CurlewCore.Request) -> CurlewCore.Request

    public func encode(_ request: CurlewCore.Request, _ parameters: Parameters?, as mediaType: CurlewCore.MediaType, body: (Parameters) throws -> Data) throws -> CurlewCore.Request

    public func encode(_ request: CurlewCore.Request, value: some Encodable, as mediaType: CurlewCore.MediaType, body: () throws -> Data) throws -> CurlewCore.Request
}

extension RequestDefaults {

    public mutating func setAuthorization(user: String, password: String) throws(CurlewCore.NetworkError)

    public mutating func clearAuthorization()

    public mutating func setLanguages(_ tags: [String])

    public mutating func setUserAgent(product: String, version: String? = nil, comment: String? = nil)
}

extension RequestDefaults : CustomReflectable {

    public var customMirror: Mirror { get }
}

public protocol RequestSerializer : Sendable {

    var defaults: RequestDefaults { get }

    func serialize(_ request: CurlewCore.Request, _ parameters: Parameters?) throws -> CurlewCore.Request

    func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request
}

extension RequestSerializer where Self == PropertyListRequestSerializer {

    public static var propertyList: PropertyListRequestSerializer { get }
}

extension RequestSerializer {

    public var defaults: RequestDefaults { get }

    public func serialize(_ request: CurlewCore.Request, encoding value: some Encodable) throws -> CurlewCore.Request

    public func request(_ request: CurlewCore.Request, _ parameters: Parameters? = nil) throws(CurlewCore.NetworkError) -> CurlewCore.Request

    public func request(_ request: CurlewCore.Request, encoding value: some Encodable) throws(CurlewCore.NetworkError) -> CurlewCore.Request
}

extension RequestSerializer where Self == DataRequestSerializer {

    public static func data(_ mediaType: CurlewCore.MediaType = .octetStream) -> DataRequestSerializer
}

extension RequestSerializer where Self == FormRequestSerializer {

    public static var form: FormRequestSerializer { get }
}

public protocol ResponseSerializer<Output> : Sendable {

    associatedtype Output : Sendable

    var validation: ResponseValidation { get }

    func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> Self.Output
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {

    public static var propertyList: PropertyListResponseSerializer { get }
}

extension ResponseSerializer {

    public static func propertyList<Value>(_ type: Value.Type = Value.self) -> DecodedPropertyListResponseSerializer<Value> where Self == DecodedPropertyListResponseSerializer<Value>, Value : Decodable, Value : Sendable
}

extension ResponseSerializer {

    public func output(of head: CurlewCore.ResponseHead?, _ body: Data) throws(CurlewCore.NetworkError) -> Self.Output
}

extension ResponseSerializer where Self == DataResponseSerializer {

    public static var data: DataResponseSerializer { get }

    public static func data(upTo limit: Int) -> DataResponseSerializer
}

extension ResponseSerializer where Self == StringResponseSerializer {

    public static var string: StringResponseSerializer { get }
}

extension ResponseSerializer {

    public func map<NewOutput>(_ transform: @escaping @Sendable (Self.Output) throws -> NewOutput) -> MappedResponseSerializer<Self, NewOutput> where NewOutput : Sendable

    public var erased: any ResponseSerializer<any Sendable> { get }
}

public struct ResponseValidation : Sendable, Hashable {

    public var statuses: Set<Int>?

    public var mediaTypes: [CurlewCore.MediaType]?

    public var maximumBytes: Int

    public static let successful: Set<Int>

    public init(statuses: Set<Int>? = successful, mediaTypes: [CurlewCore.MediaType]? = nil, maximumBytes: Int = 64 << 20)

    public static let everything: ResponseValidation

    public func check(_ head: CurlewCore.ResponseHead?, _ body: Data) -> CurlewCore.NetworkError?

    public func check(_ head: CurlewCore.ResponseHead) -> CurlewCore.NetworkError?
}

public struct StringResponseSerializer : ResponseSerializer {

    public var validation: ResponseValidation

    public var fallback: CurlewCore.Charset

    public init(validation: ResponseValidation = ResponseValidation(), fallback: CurlewCore.Charset = .utf8)

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> String
}

public protocol ValueCoding : Sendable {

    var name: String { get }

    var mediaType: CurlewCore.MediaType { get }

    var validation: ResponseValidation { get }

    func recognizes(_ prefix: Data) -> Bool

    func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    func encode(_ value: some Encodable) throws -> Data
}

extension ValueCoding {

    public var name: String { get }

    public var validation: ResponseValidation { get }

    public func recognizes(_ prefix: Data) -> Bool
}

extension ValueCoding where Self == PropertyListCoding {

    public static var propertyList: PropertyListCoding { get }
}

extension Request {

    public mutating func setContentType(_ mediaType: CurlewCore.MediaType)
}

extension URL {

    public func appendingQuery(_ query: String) throws -> URL
}

extension NetworkError {

    public func refusedValue<Serializer>(_ serializer: Serializer) throws(CurlewCore.NetworkError) -> Serializer.Output where Serializer : ResponseSerializer
}
