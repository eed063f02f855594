package notice

// What goes wrong elsewhere between a store and the bus, by the numbers of the list of known failures, and the tests that
// hold that it does not here. A test's name begins with TestKnown and the number.
//
//	 1  an event is lost: the walk closes every gap     workers/intake TestKnown1TheWalkClosesGaps; workers/workertest
//	    TestKnown1WhatMinIONeverTells (what no store tells); pkg/blob/gateway TestKill (killed during uploads)
//	 2  gaps are counted                                workers/reconcile TestKnown2GapsAreCountedByClass; workers/workertest
//	    TestKnown2FailuresOfMinIO (the recorded failures of a real MinIO, a row each, with a queue on disk and without)
//	 3  reconnect without limit; the oldest MinIO       pkg/bus/nats TestKnown3ReconnectsNeverEnd; deploy TestKnown3TheOldestMinIO
//	 4  keys are unescaped once                         TestKnown4KeysAreUnescapedOnce; TestRecordedKeys
//	 5  raw keys; the other reading                     workers/intake TestKnown5BothReadingsOfAKey
//	 6  HEAD decides, never the sequencer or the name   workers/intake TestKnown6AnOldLookDecidesNothing; workers/workertest
//	    TestKnown6SwappedOverwrites, TestKnown6TheLastEventLies
//	 7  an overwrite is an upsert                       workers/intake TestKnown7AnOverwriteIsAnUpsert
//	 8  the second copy is no work                      workers/workertest TestKnown8EventsThatComeTwice, TestKnown8TwoTargets
//	 9  the queue's folder is writable                  deploy TestKnown9TheQueueIsOnAWritableVolume
//	10  the stream before the rule                      workers TestKnown10NoRuleWithoutItsStream; doctor's probe
//	11  filtered on our side too                        workers/intake TestKnown11UnmappedObjects
//	12  JetStream is on                                 deploy TestKnown12TargetsUseJetStream; the rows JETSTREAM=off of 2
//	24  a full FP_EVENTS pushes back                    workers/workertest TestKnown24AFullEventStream
//
// No code of ours can tell through S3 whether a target has a queue on disk, whether that queue is torn, or whether JetStream
// is on for it: those show in MinIO's log and metrics, and as events that do not come (doctor's probe, the walk's gaps).
