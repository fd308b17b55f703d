// outside: call to actor-isolated instance method 'set' in a synchronous nonisolated context
// Changes of an equalizer go through its actor, one after the other; only the sound does not.
import Rustle

func flatten(_ equalizer: Equalizer) throws { try equalizer.set(.flat) }
