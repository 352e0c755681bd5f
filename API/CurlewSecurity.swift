// swift-format-ignore-file
// The public interface of CurlewSecurity, written by `swift package api-text`.

import COpenSSL
import CurlewCore
import CurlewDigests
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes

final public class Authentication : CurlewCore.Interceptor {

    public struct Configuration : Sendable {

        public var answerLimit: Int

        public var knownSpaceLimit: Int

        public var checksServerProof: Bool

        public var storesAnswers: Bool

        public var clientNonce: @Sendable () -> String

        public init()
    }

    public init(store: any CredentialStore = MemoryCredentialStore(), tokens: [TokenSource] = [], configuration: Authentication.Configuration = Configuration())

    public var asks: CurlewCore.HookNames { get }

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response

    public func forgetAll()
}

public struct BearerToken : Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {

    public var value: String

    public var expires: Date?

    public init(_ value: String, expires: Date? = nil)

    public var description: String { get }

    public var debugDescription: String { get }

    public var customMirror: Mirror { get }
}

public struct Certificate : Sendable, Hashable, CustomStringConvertible {

    public let der: Data

    public let publicKeyPin: PublicKeyPin

    public init(der: Data) throws(SecurityError)

    public static func all(pem: Data) throws(SecurityError) -> [Certificate]

    public static func all(in bytes: Data) throws(SecurityError) -> [Certificate]

    public var description: String { get }
}

extension Certificate {

    public struct Details : Sendable, Hashable {

        public var subject: String

        public var issuer: String

        public var names: [String]

        public var notBefore: Date?

        public var notAfter: Date?

        public var serialNumber: String

        public var key: String

        public var signature: String

        public var isAuthority: Bool
    }

    public var details: Certificate.Details? { get }
}

extension Certificate {

    public static func all(inFile path: String, of files: any CurlewCore.FileSystem = LocalFileSystem()) throws(SecurityError) -> [Certificate]

    public static func all(inDirectory path: String, of files: any CurlewCore.FileSystem = LocalFileSystem()) throws(SecurityError) -> [Certificate]
}

final public class ClientIdentities : CurlewCore.Interceptor {

    public static let scheme: String

    public init(_ identities: [String : CurlewCore.ClientIdentity] = [:]) throws(SecurityError)

    public var asks: CurlewCore.HookNames { get }

    public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

public protocol CredentialStore : Sendable {

    func credential(for space: CurlewCore.ProtectionSpace) async -> CurlewCore.Credential?

    func set(_ credential: CurlewCore.Credential?, for space: CurlewCore.ProtectionSpace) async throws
}

public struct CredentialStoreError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let unreadableFile: CredentialStoreError.Kind

        public static let unwritableFile: CredentialStoreError.Kind

        public static let tooLarge: CredentialStoreError.Kind

        public static let unsupportedCredential: CredentialStoreError.Kind
    }

    public let kind: CredentialStoreError.Kind

    public let message: String

    public var advice: String? { get }

    public var description: String { get }
}

extension CredentialStoreError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public struct ExactCertificateTrust : CurlewCore.ServerTrustEvaluating {

    public let certificate: Certificate

    public let host: String

    public let leastTLSVersion: CurlewCore.HandshakeRequirements.TLSVersion?

    public let connectionKey: CurlewCore.ConnectionKey

    public init(_ certificate: Certificate, host: String, leastTLSVersion: CurlewCore.HandshakeRequirements.TLSVersion? = nil) throws(SecurityError)

    public var requirements: CurlewCore.HandshakeRequirements { get }

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

final public class FileCredentialStore : CredentialStore {

    public static let maximumBytes: Int

    public init(_ path: String, in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CredentialStoreError)

    public func credential(for space: CurlewCore.ProtectionSpace) -> CurlewCore.Credential?

    public func set(_ credential: CurlewCore.Credential?, for space: CurlewCore.ProtectionSpace) async throws
}

public struct HostPolicies : CurlewCore.ServerTrustEvaluating {

    public let policies: [String : SecurityPolicy]

    public let otherHosts: SecurityPolicy?

    public let connectionKey: CurlewCore.ConnectionKey

    public init(_ policies: [String : SecurityPolicy], otherHosts: SecurityPolicy?) throws(SecurityError)

    public var requirements: CurlewCore.HandshakeRequirements { get }

    public func policy(for host: String) -> SecurityPolicy?

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

final public class MemoryCredentialStore : CredentialStore {

    public init(_ credentials: [CurlewCore.ProtectionSpace : CurlewCore.Credential] = [:])

    public func credential(for space: CurlewCore.ProtectionSpace) -> CurlewCore.Credential?

    public func set(_ credential: CurlewCore.Credential?, for space: CurlewCore.ProtectionSpace)
}

public struct OAuth2Client : Sendable {

    public typealias Send = @Sendable (CurlewCore.Request) async throws -> (Data, CurlewCore.ResponseHead)

    public enum SecretPlace : Sendable, Hashable {

        case authorization

        case content
    }

    public let id: String

    public let scope: String?

    public let tokenEndpoint: URL

    public init(id: String, secret: String? = nil, secretPlace: OAuth2Client.SecretPlace = .authorization, tokenEndpoint: String, scope: String? = nil, clock: any CurlewCore.NetworkClock = .system, send: @escaping OAuth2Client.Send) throws(CurlewCore.NetworkError)

    public func clientCredentials() async throws -> OAuth2Token

    public func refresh(_ refreshToken: String) async throws -> OAuth2Token
}

extension OAuth2Client : CustomStringConvertible, CustomReflectable {

    public var description: String { get }

    public var customMirror: Mirror { get }
}

extension OAuth2Client {

    public func login(at endpoint: String, show: @Sendable (OAuth2DeviceCode) async throws -> Void) async throws -> OAuth2Token
}

public struct OAuth2DeviceCode : Sendable, CustomStringConvertible, CustomReflectable {

    public let userCode: String

    public let page: String

    public let pageWithCode: String?

    public let expires: Date

    public var description: String { get }

    public var customMirror: Mirror { get }
}

public struct OAuth2Error : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable {

        public var rawValue: String

        public init(rawValue: String)

        public static let invalidRequest: OAuth2Error.Kind

        public static let invalidClient: OAuth2Error.Kind

        public static let invalidGrant: OAuth2Error.Kind

        public static let unauthorizedClient: OAuth2Error.Kind

        public static let unsupportedGrantType: OAuth2Error.Kind

        public static let invalidScope: OAuth2Error.Kind

        public static let accessDenied: OAuth2Error.Kind

        public static let expiredToken: OAuth2Error.Kind

        public static let authorizationPending: OAuth2Error.Kind

        public static let slowDown: OAuth2Error.Kind

        public static let malformedResponse: OAuth2Error.Kind
    }

    public let kind: OAuth2Error.Kind

    public let status: Int?

    public let message: String

    public let page: String?

    public var advice: String? { get }

    public var description: String { get }
}

extension OAuth2Error : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public struct OAuth2Token : Sendable, Hashable {

    public var bearer: BearerToken

    public var refreshToken: String?

    public var scope: String?

    public init(_ bearer: BearerToken, refreshToken: String? = nil, scope: String? = nil)
}

extension OAuth2Token : CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {

    public var description: String { get }

    public var debugDescription: String { get }

    public var customMirror: Mirror { get }
}

public struct OAuth2TokenFile : Sendable {

    public static let maximumBytes: Int

    public init(_ path: String, in files: any CurlewCore.FileSystem = LocalFileSystem())

    public func read() throws(CredentialStoreError) -> OAuth2Token?

    public func write(_ token: OAuth2Token) throws(CredentialStoreError)
}

public struct PinMatch : Sendable, Hashable {

    public var certificate: Int

    public var pin: PublicKeyPin

    public var isBackup: Bool
}

public struct PublicKeyPin : Sendable, Hashable, CustomStringConvertible {

    public let hash: Data

    public init(_ text: String) throws(SecurityError)

    public var description: String { get }
}

public struct RefreshWindow : Sendable, Hashable {

    public var limit: Int

    public var interval: Duration

    public init(limit: Int = 5, interval: Duration = .seconds(30))
}

public struct RevocationList : Sendable, Hashable {

    public let der: Data

    public init(der: Data) throws(SecurityError)

    public static func all(pem: Data) throws(SecurityError) -> [RevocationList]
}

extension RevocationList {

    public static func all(inFile path: String, of files: any CurlewCore.FileSystem = LocalFileSystem()) throws(SecurityError) -> [RevocationList]
}

public struct SecurityError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

        public var rawValue: String

        public init(rawValue: String)

        public var description: String { get }

        public static let unsafeCombination: SecurityError.Kind

        public static let plainHTTP: SecurityError.Kind

        public static let malformedCertificate: SecurityError.Kind

        public static let rejectedCertificate: SecurityError.Kind

        public static let malformedPin: SecurityError.Kind

        public static let malformedRevocationList: SecurityError.Kind

        public static let unreadableKey: SecurityError.Kind

        public static let keyMismatch: SecurityError.Kind

        public static let malformedHost: SecurityError.Kind

        public static let unreadableFile: SecurityError.Kind

        public static let unavailable: SecurityError.Kind
    }

    public var kind: SecurityError.Kind

    public var message: String

    public var advice: String?

    public init(_ kind: SecurityError.Kind, _ message: String, advice: String? = nil)

    public var description: String { get }
}

extension SecurityError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

public struct SecurityPolicy : CurlewCore.ServerTrustEvaluating {

    public let settings: SecurityPolicy.Settings

    public let connectionKey: CurlewCore.ConnectionKey

    public static func system() throws(SecurityError) -> SecurityPolicy

    public init(_ settings: SecurityPolicy.Settings, baseURL: URL? = nil, report: (@Sendable (TrustReport) -> Void)? = nil) throws(SecurityError)

    public var requirements: CurlewCore.HandshakeRequirements { get }

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

extension SecurityPolicy {

    public func verdict(on trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError) -> TrustVerdict
}

extension SecurityPolicy {

    public enum PinningMode : String, Sendable, Hashable, CaseIterable {

        case none

        case publicKey

        case certificate
    }

    public enum PinScope : String, Sendable, Hashable, CaseIterable {

        case leaf

        case chain
    }

    public enum Anchors : Sendable, Hashable {

        case system

        case systemAnd([Certificate])

        case only([Certificate])
    }

    public struct Settings : Sendable, Hashable {

        public var pinningMode: SecurityPolicy.PinningMode

        public var allowInvalidCertificates: Bool

        public var validatesDomainName: Bool

        public var pinnedCertificates: [Certificate]

        public var publicKeyPins: Set<PublicKeyPin>

        public var backupPublicKeyPins: Set<PublicKeyPin>

        public var pinScope: SecurityPolicy.PinScope

        public var pinExpiry: Date?

        public var reportsPinsOnly: Bool

        public var anchors: SecurityPolicy.Anchors

        public var revocationLists: [RevocationList]

        public var requiresStapledOCSP: Bool

        public var leastTLSVersion: CurlewCore.HandshakeRequirements.TLSVersion?

        public var isStrict: Bool

        public init()
    }
}

final public class ServerTrustAsking : CurlewCore.Interceptor {

    public static let scheme: String

    public init()

    public func forgetAll()

    public var asks: CurlewCore.HookNames { get }

    nonisolated(nonsending) public func intercept(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange, next: CurlewCore.Next) async throws -> CurlewCore.Response
}

final public class TokenSource : Sendable {

    public typealias Refresh = @Sendable (BearerToken?) async throws -> BearerToken

    public let origins: Set<CurlewCore.Origin>

    public init(for origins: Set<CurlewCore.Origin>, token: BearerToken? = nil, leeway: Duration = .seconds(30), window: RefreshWindow = RefreshWindow(), refresh: @escaping TokenSource.Refresh)

    public convenience init(for urls: [String], token: BearerToken? = nil, leeway: Duration = .seconds(30), window: RefreshWindow = RefreshWindow(), refresh: @escaping TokenSource.Refresh) throws(CurlewCore.NetworkError)

    public func set(_ token: BearerToken?)

    public func token(refused: String? = nil, clock: any CurlewCore.NetworkClock = .system) async throws -> BearerToken
}

extension TokenSource {

    public convenience init(for urls: [String], clientCredentials client: OAuth2Client) throws(CurlewCore.NetworkError)

    public convenience init(for urls: [String], refreshing client: OAuth2Client, token: OAuth2Token? = nil, keptIn file: OAuth2TokenFile? = nil) throws
}

public struct TrustReport : Sendable, Hashable {

    public var trust: CurlewCore.ServerTrust

    public var error: CurlewCore.ServerTrustError

    public var wasEnforced: Bool
}

public struct TrustVerdict : Sendable, Hashable {

    public var verifiedChain: [Data]

    public var pin: PinMatch?
}

public struct UndecidedTrust : CurlewCore.ServerTrustEvaluating {

    public let connectionKey: CurlewCore.ConnectionKey

    public let requirements: CurlewCore.HandshakeRequirements

    public init(requirements: CurlewCore.HandshakeRequirements = HandshakeRequirements(refusesPlainHTTP: true))

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

extension ClientIdentity {

    public init(pem: Data, key: Data, password: String? = nil) throws(SecurityError)

    public init(pkcs12: Data, password: String) throws(SecurityError)
}
