// The names that examples use and do not declare. `Scripts/check-examples` compiles this file with all of them; it never runs.
//
// Every example has the imports and the names up to the first section. A section `// For PATH:` is put into the examples
// of that file only, or of all files in a folder if PATH ends in a slash; a local name of the example hides one of these.

import Curlew
import CurlewBatch
import CurlewBatchTesting
import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewDigests
import CurlewDownload
import CurlewImageBytes
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewReachability
import CurlewRequests
import CurlewSQLiteBatchStore
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewSessionManagers
import CurlewStorage
import CurlewTestSupport
import CurlewURLSessionTransport
import CurlewWebSocket
import CurlewXML
import CurlewYAML
import Foundation
import Glibc
import HTTPTypes
import Testing

func someValue<Value>() -> Value { fatalError("examples are compiled and never run") }

var transport: CurlTransport { someValue() }
var loader: Loader { someValue() }
var url: URL { someValue() }
var baseURL: URL { someValue() }
var data: Data { someValue() }
var body: Data { someValue() }
var bytes: Data { someValue() }
var chunk: Data { someValue() }
var chunks: [Data] { someValue() }
var text: String { someValue() }
var boundary: String { someValue() }
var secret: String { someValue() }
var response: Response { someValue() }
var delegate: any ConnectionDelegate { someValue() }
var monitor: any ReachabilityMonitoring { someValue() }
var stub: StubTransport { someValue() }
var jar: MemoryCookieJar { someValue() }
var session: HTTPSession {
  get { someValue() }
  set {}
}
var photo: URL { someValue() }

var request: Request {
  get { someValue() }
  set {}
}
var settings: ExchangeSettings {
  get { someValue() }
  set {}
}
var chain: InterceptorChain {
  get { someValue() }
  set {}
}

/// The serializer of the article about writing one, which gets a short name in one of its examples.
struct CSVRowsSerializer: ResponseSerializer {
  var validation = ResponseValidation(mediaTypes: [.csv])
  func serialize(_ head: ResponseHead?, _ body: Data) throws -> [[String]] { someValue() }
}

// For Modules/Curlew/Curlew.docc/:
private struct Bird: Codable, Sendable, Equatable { var name = "" }
private struct SignedIn: Decodable, Sendable {
  var token: String
  var lifetime: Double
}
private struct GetBird: Endpoint {
  typealias Output = Bird
  var id: Int
  var path: String { "" }
}
private var bird: Bird { someValue() }
private var draft: Bird { someValue() }
private var path: String { someValue() }
private var sha256: String { someValue() }
private var pin: String { someValue() }
private var backupPin: String { someValue() }
private var pinning: SecurityPolicy.Settings { someValue() }
private var api: Origin { someValue() }
private var queue: OperationQueue { someValue() }
@Sendable private func show(_ shown: Any?) {}

// For MIGRATING.md:
private struct Bird: Codable, Sendable {}
private var configuration: SessionConfiguration {
  get { someValue() }
  set {}
}
private var manager: HTTPSessionManager { someValue() }
private var operations: HTTPRequestOperationManager { someValue() }
private var operation: HTTPRequestOperation { someValue() }
private var task: DataTask<any Sendable> {
  get { someValue() }
  set {}
}
private var waiting: [SessionTask] {
  get { someValue() }
  set {}
}
private var reachability: ReachabilityMonitor { someValue() }
private var pinning: SecurityPolicy.Settings {
  get { someValue() }
  set {}
}
private var certificate: Certificate { someValue() }

// For Modules/Curlew/Curlew.docc/UnderOpenAPIGenerator.md:
private struct CurlewTransport { var loader: Loader }
private struct Client { init(serverURL: URL, transport: CurlewTransport) {} }

// For Modules/Curlew/Curlew.docc/BesideHummingbird.md:
private struct BodyWriter { func write(_ bytes: Data) async throws {} }
private var writer: BodyWriter { someValue() }

// For Modules/Curlew/Curlew.docc/WriteATransport.md:
private struct Connection: Sendable {
  func start(_ producer: any BodyProducer) {}
  func pause(andOfferAgain bytes: UnsafeRawBufferPointer) {}
  func resume() {}
  func close() {}
}
private var connection: Connection { someValue() }

// For Modules/Curlew/Curlew.docc/CheckYourOwn.md:
private struct PigeonTransport: Transport {
  var capabilities: TransportCapabilities { someValue() }
  func send(_ request: Request, in exchange: Exchange) async throws -> Response { someValue() }
}

// For Modules/Curlew/Curlew.docc/TalkOverAWebSocket.md:
private var socket: WebSocket { someValue() }

// For Modules/Security/CurlewSecurity.docc/CurlewSecurity.md:
private var pin: String { someValue() }
private var backupPin: String { someValue() }

// For Modules/Serialization/FormatRegistry.swift:
private struct Bird: Codable, Sendable {}
private struct LinesDecoder {
  func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value { someValue() }
}
private struct LinesEncoder { func encode(_ value: some Encodable) throws -> Data { someValue() } }

// For Modules/Operations/CurlewOperations.docc/CurlewOperations.md:
private var queue: OperationQueue { someValue() }

// For Modules/Security/Authentication/TokenSource.swift:
private var api: Origin { someValue() }
private var signIn: Request { someValue() }
private var signInLoader: Loader { someValue() }

// For Modules/Security/OAuth2/:
private var signInLoader: Loader { someValue() }
private var client: OAuth2Client { someValue() }
private var device: String { someValue() }

// For Modules/Security/Policy/ServerTrustAsking.swift:
@Sendable private func isTrustedByAPerson(_ trust: ServerTrust) async -> Bool { someValue() }

// For Modules/Security/Certificates/ClientIdentities.swift:
private var identity: ClientIdentity { someValue() }
private var other: ClientIdentity { someValue() }

// For Modules/Loading/Progress/ActivityCounter.swift:
private var showSpinner: @Sendable (Bool) -> Void { someValue() }

// For Modules/Loading/Transfer/RetryBudget.swift:
private var policy: RetryPolicy {
  get { someValue() }
  set {}
}

// For Modules/Loading/InterceptorChain.swift:
private struct SigningInterceptor: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response { someValue() }
}

// For Modules/Storage/Journal.swift:
private struct State { func apply(_ record: Data) {} }
private var state: State { someValue() }

// For Modules/Reachability/NetworkProbe.swift:
private func openBrowser() {}

// For Modules/XML/Coding/XMLEncoder.swift:
private struct Book: Encodable {}

// For Modules/XML/Tree/XPath.swift:
private var document: XMLDocument { someValue() }
private var id: String { someValue() }

// For Modules/TestSupport/Conformance/ConformanceRecord.swift:
private var endpoint: OriginEndpoint { someValue() }

// For Modules/TestSupport/Conformance/TransportConformance.swift:
private typealias MyTransport = CurlTransport
private var endpoint: OriginEndpoint { someValue() }
private var conformance: TransportConformance { someValue() }

// For Modules/TestSupport/Doubles/FailingTransport.swift:
private var lost: NetworkError { someValue() }
private var cut: NetworkError { someValue() }

// For Modules/TestSupport/Doubles/ManualClock.swift:
private var policy: RetryPolicy { someValue() }

// For Modules/TestSupport/Doubles/ManualGate.swift:
private var half: Data { someValue() }
private var rest: Data { someValue() }

// For Modules/TestSupport/Files/MemoryFileSystem.swift:
private var report: Data { someValue() }
private func save(_ report: Data, in files: any FileSystem) throws {}
private func load(from files: any FileSystem) throws -> Data { someValue() }

// For Modules/Core/Concurrency/CallbackExecutor.swift:
private var queue: DispatchQueue { someValue() }

// For Modules/Core/Request/FileBodyReader.swift:
private var region: Body.FileRegion { someValue() }
private var buffer: UnsafeMutableRawBufferPointer { someValue() }
private func send(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {}

// For Modules/Core/Exchange/PauseSignal.swift:
private var upload: Request { someValue() }

// For Modules/Core/Transport/DuplexChannel.swift:
private struct Socket: Sendable {
  func read() -> UnsafeRawBufferPointer? { nil }
  func write(_ bytes: Data) -> Int { bytes.count }
}
private var socket: Socket { someValue() }
private var channel: DuplexChannel { someValue() }

// For Modules/Core/Response/BodyChannel.swift:
private struct Connection: Sendable {
  func start(_ producer: any BodyProducer) {}
  func pause(andOfferAgain bytes: UnsafeRawBufferPointer) {}
  func resume() {}
  func close() {}
}
private var connection: Connection { someValue() }

// For Modules/Core/Response/ResponseBody.swift:
private struct File { func write(_ bytes: Data) throws {} }
private var file: File { someValue() }

// For Modules/Core/Request/Request.swift:
private var json: Data { someValue() }

// For Modules/Core/Multipart/MultipartReader.swift:
private func handle(_ event: MultipartReader.Event) {}

// For Modules/Core/Archives/RequestArchive.swift:
private func askForCredentials(_ request: Request) {}

// For Modules/Serialization/ResponseValidation.swift:
private struct Problem: Decodable {}
private var error: NetworkError { someValue() }

// For Modules/Serialization/ResponseSerializer.swift:
private enum CSV { static func parse(_ data: Data) throws -> [[String]] { someValue() } }

// For Modules/Serialization/RequestSerializer.swift:
private enum CSV { static func data(_ parameters: Parameters) throws -> Data { someValue() } }

// For Modules/TestSupport/Conformance/Serializers/SerializerConformance.swift:
private struct Bird: Codable, Sendable {}

// For Fuzz/Sources/FuzzKit/FuzzTarget.swift:
private protocol FuzzTarget { static func read(_ bytes: Data) }
extension FuzzTarget { static func main() {} }

// For Modules/Download/Downloader.swift:
private func draw(_ progress: TransferProgress) {}

// For Modules/Download/ResumePlan.swift:
private var head: ResponseHead { someValue() }

// For Modules/Requests/ComponentNames.swift:
private struct Bird: Decodable, Sendable {}
extension ComponentName where Component == JSONResponseSerializer<[Bird]> {
  fileprivate static var birds: Self { Self("birds") }
}
private var decoder: JSONDecoder { someValue() }

// For Modules/Loading/CallbackHooks.swift:
@Sendable private func isAllowed(_ url: URL) -> Bool { someValue() }
@Sendable private func askThePerson(_ challenge: Challenge, _ reply: @escaping @Sendable (Credential) -> Void) {}

// For Modules/Storage/DiskWork.swift:
private var journal: Journal { someValue() }

// For Modules/Operations/HTTPRequestOperation.swift:
private struct Bird: Codable {}
private var queue: OperationQueue { someValue() }
@Sendable private func show(_ shown: Any) {}

// For README.md:
private struct Bird: Codable, Sendable {}
private struct Config: Codable, Sendable {}
private var draft: Bird { someValue() }
private var path: String { someValue() }

// For TASKS.md:
private struct Bird: Codable, Sendable {}
private struct SignedIn: Decodable, Sendable {
  var token: String
  var lifetime: Double
}
private struct Page: Decodable, Sendable {
  var birds: [Bird]
  var next: String?
}
private var bird: Bird { someValue() }
private var draft: Bird { someValue() }
private var path: String { someValue() }
private var pin: String { someValue() }
private var backupPin: String { someValue() }
private var api: String { someValue() }
private var key: String { someValue() }
private var name: String { someValue() }
private var page: Int { someValue() }
private var pem: String { someValue() }
private var chainFile: URL { someValue() }
private var keyFile: URL { someValue() }
private var signInLoader: Loader { someValue() }
private var file: String { someValue() }
private var directory: String { someValue() }
private func show(_ shown: Any?) {}

// For Modules/Session/SessionConfiguration.swift:
private var observer: any EventObserver { someValue() }

// For Modules/Session/Endpoint.swift:
private struct Bird: Codable, Sendable {}

// For Modules/Core/Errors/NetworkError.swift:
private struct Bird: Decodable, Sendable {}

// For Modules/Session/ProblemDetails.swift:
private struct Bird: Codable, Sendable {}

// For Modules/Session/PageSequence.swift:
private struct Bird: Codable, Sendable {}

// For Modules/Session/CurlewSession.docc/HTTPSession.md:
private struct Bird: Codable, Sendable {}
private var draft: Bird { someValue() }

// For Modules/Session/HTTPSession.swift:
private struct Bird: Codable, Sendable { var name: String }

// For Modules/Session/Streams/HTTPSession+Streams.swift:
private struct File { func write(_ bytes: Data) throws {} }
private var file: File { someValue() }

// For Modules/TestSupport/Doubles/StubTransport.swift:
private struct Bird: Codable, Sendable {}
private struct GetBird: Endpoint {
  typealias Output = Bird
  var id: Int
  var path: String { "" }
}
private var bird: Bird { someValue() }

// For Modules/Operations/HTTPRequestOperationManager.swift:
@Sendable private func show(_ shown: Any) {}

// For Modules/Operations/DownloadOperation.swift:
private var disk: DownloadDisk { someValue() }

// For Modules/Operations/OperationBatch.swift:
private var requests: [URLConnectionOperation] { someValue() }
private var queue: OperationQueue { someValue() }
@Sendable private func show(_ finished: Int, _ total: Int) {}
@Sendable private func showAll(_ operations: [URLConnectionOperation]) {}

// For Modules/Operations/Archive/OperationArchive.swift:
private var operation: HTTPRequestOperation { someValue() }

// For Modules/Operations/Archive/OperationManagerArchive.swift:
private var manager: HTTPRequestOperationManager { someValue() }

// For Modules/SessionManagers/URLSessionManager.swift:
private var configuration: SessionConfiguration { someValue() }
@Sendable private func show(_ shown: Any?, _ error: (any Error)?) {}

// For Modules/SessionManagers/HTTPSessionManager.swift:
private var configuration: SessionConfiguration { someValue() }
@Sendable private func show(_ shown: Any) {}

// For Modules/SessionManagers/Tasks/URLSessionManager+Data.swift:
private struct Bird: Codable, Sendable {}
private var manager: URLSessionManager { someValue() }
@Sendable private func show(_ shown: Any?) {}

// For Modules/SessionManagers/SessionHooks.swift:
private var manager: URLSessionManager { someValue() }
@Sendable private func isAllowed(_ url: URL) -> Bool { someValue() }
@Sendable private func askThePerson(_ challenge: Challenge, _ reply: @escaping @Sendable (Credential) -> Void) {}

// For Modules/SessionManagers/SessionManagerArchive.swift:
extension ComponentName<SessionConfiguration> { fileprivate static var api: Self { someValue() } }
private var manager: HTTPSessionManager { someValue() }
private var configuration: SessionConfiguration { someValue() }

// For Modules/Operations/Life/CallbackExecutor+Queues.swift:
private var operation: URLConnectionOperation { someValue() }

// For Modules/SQLiteBatchStore/SQLiteBatchStore.swift:
extension ComponentName<BatchJob> { fileprivate static var fetch: Self { someValue() } }

// For Modules/Batch/Batch.swift:
private var batch: Batch { someValue() }
private var fetchList: BatchItem { someValue() }
private var fetchFiles: BatchItem { someValue() }
private var publish: BatchItem { someValue() }

// For Modules/Session/Tasks/SessionTask.swift:
private struct Bird: Codable, Sendable {}

// For Modules/Session/Tasks/DataTask.swift:
private struct Bird: Codable, Sendable {}

// For Modules/Session/Tasks/HTTPSession+Tasks.swift:
private struct Bird: Codable, Sendable {}
@Sendable private func signed(_ request: Request) -> Request { request }

// For Modules/Download/DownloadResumeData.swift:
private var task: DownloadTask { someValue() }
private var store: URL { someValue() }

// For Modules/SessionManagers/Background/BackgroundHandler.swift:
private actor Shelf { func add(_ end: BackgroundEnd) {} }
private let shelf = Shelf()

// For Modules/SessionManagers/Background/BackgroundSession.swift:
private actor Shelf { func add(_ end: BackgroundEnd) {} }
private let shelf = Shelf()
private var manager: URLSessionManager { someValue() }

// For Examples/parts/README.md:
private var configuration: SessionConfiguration {
  get { someValue() }
  set {}
}
private struct Lines: ValueCoding {
  var mediaType: MediaType { .plainText }
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data, _ head: ResponseHead?) throws -> Value {
    someValue()
  }
  func encode(_ value: some Encodable) throws -> Data { someValue() }
}
