// swift-format-ignore-file
// The public interface of CurlewCSV, written by `swift package api-text`.

import CurlewCore
import CurlewSerialization
import FoundationEssentials

public struct CSVCoding : CurlewSerialization.ValueCoding {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: CSVDecoder

    public var encoder: CSVEncoder

    public init(decoder: CSVDecoder = CSVDecoder(), encoder: CSVEncoder = CSVEncoder())

    public var mediaType: CurlewCore.MediaType { get }

    public func decode<Value>(_ type: Value.Type, from body: Data, _ head: CurlewCore.ResponseHead?) throws -> Value where Value : Decodable

    public func encode(_ value: some Encodable) throws -> Data
}

public struct CSVDecoder : Sendable {

    public var options: CSVOptions

    public var userInfo: [CodingUserInfoKey : any Sendable]

    public init(options: CSVOptions = CSVOptions())

    public func decode<Value>(_ type: Value.Type, from bytes: Data) throws -> Value where Value : Decodable
}

public struct CSVEncoder : Sendable {

    public var options: CSVOptions

    public var columns: [String]?

    public init(options: CSVOptions = CSVOptions(), columns: [String]? = nil)

    public func encode(_ value: some Encodable) throws -> Data

    public func data(_ parameters: CurlewSerialization.Parameters) throws(CurlewSerialization.ParametersError) -> Data
}

public struct CSVError : Error, Sendable {

    public struct Kind : Sendable, Hashable {

        public static let unterminatedQuote: CSVError.Kind

        public static let quoteInPlainField: CSVError.Kind

        public static let textAfterQuote: CSVError.Kind

        public static let loneCarriageReturn: CSVError.Kind

        public static let invalidUTF8: CSVError.Kind

        public static let unequalRecord: CSVError.Kind

        public static let duplicateColumn: CSVError.Kind

        public static let tooManyMarks: CSVError.Kind

        public static let recordTooLong: CSVError.Kind

        public static let tooManyFields: CSVError.Kind

        public static let tableTooLarge: CSVError.Kind

        public static let invalidValue: CSVError.Kind
    }

    public let kind: CSVError.Kind

    public let position: CSVPosition

    public let underlyingError: DecodingError?

    public var line: Int { get }

    public var column: Int { get }
}

extension CSVError : CustomStringConvertible {

    public var description: String { get }
}

extension CSVError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct CSVOptions : Sendable, Hashable {

    public enum Delimiter : UInt8, Sendable, Hashable, CaseIterable {

        case comma

        case semicolon

        case tab

        case pipe
    }

    public var delimiter: CSVOptions.Delimiter

    public var hasHeader: Bool

    public var allowsUnequalRecords: Bool

    public var maximumRecordBytes: Int

    public var maximumFields: Int

    public var maximumTableFields: Int

    public init()
}

public struct CSVParser : Sendable {

    public init(options: CSVOptions = CSVOptions())

    public mutating func append(_ bytes: Data)

    public mutating func finish()

    public mutating func next() throws(CSVError) -> CSVRecord?
}

public struct CSVPosition : Sendable, Hashable {

    public var line: Int

    public var column: Int
}

public struct CSVRecord : Sendable, Hashable {

    public let fields: [String]

    public let number: Int

    public var line: Int { get }

    public func position(of field: Int) -> CSVPosition
}

public struct CSVRecordSequence<Base, Element> : AsyncSequence where Base : AsyncSequence, Element : Sendable, Base.Element == Data {

    public func makeAsyncIterator() -> CSVRecordSequence<Base, Element>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> Element?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element?
    }
}

extension CSVRecordSequence : Sendable where Base : Sendable {
}

public struct CSVRequestSerializer : CurlewSerialization.RequestSerializer {

    public var defaults: CurlewSerialization.RequestDefaults

    public var encoder: CSVEncoder

    public init(defaults: CurlewSerialization.RequestDefaults = RequestDefaults(), encoder: CSVEncoder = CSVEncoder())

    public func serialize(_ request: CurlewCore.Request, _ parameters: CurlewSerialization.Parameters?) throws -> CurlewCore.Request
}

public struct CSVResponseSerializer<Row> : CurlewSerialization.ResponseSerializer where Row : Decodable, Row : Sendable {

    public var validation: CurlewSerialization.ResponseValidation

    public var decoder: CSVDecoder

    public init(_ type: Row.Type = Row.self, decoder: CSVDecoder = CSVDecoder())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> [Row]
}

public struct CSVTable : Sendable, Hashable {

    public var columns: [String]

    public var rows: [[String]]

    public init(columns: [String] = [], rows: [[String]] = [])

    public init(parsing bytes: Data, options: CSVOptions = CSVOptions()) throws(CSVError)

    public func values(of column: String) -> [String]?

    public func data(options: CSVOptions = CSVOptions()) -> Data
}

public struct CSVTableResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var options: CSVOptions

    public init(options: CSVOptions = CSVOptions())

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> CSVTable
}

public struct CSVWriter : Sendable, Hashable {

    public init(options: CSVOptions = CSVOptions())

    public func record(_ fields: [String]) -> Data
}

extension AsyncSequence where Self.Element == Data {

    public func csvRecords(options: CSVOptions = CSVOptions()) -> CSVRecordSequence<Self, CSVRecord>

    public func csvRows<Row>(as type: Row.Type, decoder: CSVDecoder = CSVDecoder()) -> CSVRecordSequence<Self, Row> where Row : Decodable, Row : Sendable
}

extension ValueCoding where Self == CSVCoding {

    public static var csv: CSVCoding { get }
}

extension RequestSerializer where Self == CSVRequestSerializer {

    public static var csv: CSVRequestSerializer { get }
}

extension ResponseSerializer where Self == CSVTableResponseSerializer {

    public static var csvTable: CSVTableResponseSerializer { get }
}

extension ResponseSerializer {

    public static func csv<Row>(_ type: Row.Type = Row.self, decoder: CSVDecoder = CSVDecoder()) -> CSVResponseSerializer<Row> where Self == CSVResponseSerializer<Row>, Row : Decodable, Row : Sendable
}
