// Each kind of observer, made.
import CurlewCore
import CurlewObservability
import Logging

var settings = ExchangeSettings()
settings.observers = [LoggingObserver(Logger(label: "http")), MetricsObserver()]
print("ok:", settings.observers.count)
