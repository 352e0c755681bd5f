// swift-format-ignore-file
// The public interface of CurlewAWSSignature, written by `swift package api-text`.

import CurlewCore
import CurlewDigests
import FoundationEssentials
import HTTPTypes
import Synchronization

public struct AWSCredentials : Sendable, Hashable {

    public var accessKeyID: String

    public var secretAccessKey: String

    public var sessionToken: String?

    public var expires: Date?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expires: Date? = nil)
}

extension AWSCredentials {

    public init(environment: [String : String]) throws(AWSCredentialsError)

    public static let maximumFileBytes: Int

    public init(file path: String, profile: String = "default", in files: any CurlewCore.FileSystem = .local) throws(AWSCredentialsError)
}

extension AWSCredentials : CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {

    public var description: String { get }

    public var debugDescription: String { get }

    public var customMirror: Mirror { get }
}

public struct AWSCredentialsError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable {

        public var rawValue: String

        public init(rawValue: String)

        public static let missing: AWSCredentialsError.Kind

        public static let unreadableFile: AWSCredentialsError.Kind

        public static let malformed: AWSCredentialsError.Kind
    }

    public let kind: AWSCredentialsError.Kind

    public let message: String

    public var description: String { get }
}

extension AWSCredentialsError : LocalizedError {

    public var errorDescription: String? { get }
}

final public class AWSSignature : CurlewCore.Interceptor {

    public enum Payload : Sendable, Hashable {

        case signed

        case unsigned
    }

    public let origins: Set<CurlewCore.Origin>

    public let region: String

    public let service: String

    public let payload: AWSSignature.Payload

    public init(for urls: [String], region: String, service: String = "s3", payload: AWSSignature.Payload = .signed, credentials: @escaping @Sendable () async throws -> AWSCredentials) throws(CurlewCore.NetworkError)

    public var asks: CurlewCore.HookNames { get }

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response

    public func presignedURL(for request: CurlewCore.Request, lifetime: Duration = .seconds(3600), clock: any CurlewCore.NetworkClock = .system) async throws -> URL
}
