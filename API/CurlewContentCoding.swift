// swift-format-ignore-file
// The public interface of CurlewContentCoding, written by `swift package api-text`.

import CBrotli
import CZlib
import CZstd
import CurlewCore
import FoundationEssentials
import HTTPTypes

final public class ContentDecoder {

    public private(set) var bytesTaken: Int64 { get }

    public static let codings: [CurlewCore.ContentCoding]

    public init(_ codings: [CurlewCore.ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()) throws(ContentDecodingError)

    public var holdsInput: Bool { get }

    public func feed(_ bytes: Data)

    public func next() throws(ContentDecodingError) -> Data?

    public func finish() throws(ContentDecodingError)
}

public struct ContentDecoding : CurlewCore.Interceptor {

    public let codings: [CurlewCore.ContentCoding]

    public let limits: ContentDecodingLimits

    public init(_ codings: [CurlewCore.ContentCoding] = ContentDecoder.codings, limits: ContentDecodingLimits = ContentDecodingLimits())

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

public struct ContentDecodingError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Reason : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let unknownCoding: ContentDecodingError.Reason

        public static let damaged: ContentDecodingError.Reason

        public static let cut: ContentDecodingError.Reason

        public static let trailingBytes: ContentDecodingError.Reason

        public static let tooMuchOutput: ContentDecodingError.Reason

        public static let tooHighRatio: ContentDecodingError.Reason

        public static let tooLargeWindow: ContentDecodingError.Reason

        public static let tooManyCodings: ContentDecodingError.Reason

        public static let outOfMemory: ContentDecodingError.Reason
    }

    public var reason: ContentDecodingError.Reason

    public var coding: CurlewCore.ContentCoding?

    public var description: String
}

extension ContentDecodingError : LocalizedError {

    public var errorDescription: String? { get }
}

public struct ContentDecodingLimits : Sendable, Hashable {

    public var output: Int64?

    public var ratio: Int

    public var allowance: Int64

    public var codings: Int

    public var zstdWindow: Int

    public init()
}

public struct ContentEncodingError : Error, Sendable, Hashable, CustomStringConvertible {

    public var description: String { get }
}

extension ContentEncodingError : LocalizedError {

    public var errorDescription: String? { get }
}

extension Body {

    public func gzipped(level: Int = 6) throws(ContentEncodingError) -> CurlewCore.Body
}

extension Request {

    public mutating func compressBody(level: Int = 6) throws(ContentEncodingError)
}
