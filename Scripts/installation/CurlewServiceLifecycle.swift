// A group that shuts down gracefully when its other service has ended.
import CurlewServiceLifecycle
import Logging
import ServiceLifecycle

struct Brief: Service { func run() async throws {} }

let transfers = OperationsService(grace: .seconds(1))
let group = ServiceGroup(
  configuration: .init(
    services: [
      .init(service: transfers),
      .init(service: Brief(), successTerminationBehavior: .gracefullyShutdownGroup),
    ], logger: Logger(label: "birds")))
try await group.run()
print("ok:", transfers)
