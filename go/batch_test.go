package falconsign

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// jobsOf returns jobs of keys of both parameter sets, with messages of many lengths.
func jobsOf(t testing.TB, count int) []SignJob {
	t.Helper()
	keys := []*SigningKey{seedKey(t, Falcon512, 1), seedKey(t, Falcon1024, 1), seedKey(t, Falcon512, 2)}
	var err error
	keys[2], err = keys[2].Expand()
	must(t, err)
	jobs := make([]SignJob, count)
	for i := range jobs {
		jobs[i] = SignJob{keys[i*3/count], shake256([]byte(fmt.Sprint(i)), i)}
	}
	return jobs
}

// Batches sign and verify what single calls do, on the calling thread and on others.
func TestBatchesEqualSingleCalls(t *testing.T) {
	shared, err := NewThreads(3)
	must(t, err)
	defer shared.Close()
	jobs := jobsOf(t, 40)
	for _, threads := range []*Threads{nil, shared} {
		for _, format := range []Format{Compressed, Padded, ConstantTime} {
			signatures, err := SignBatch(jobs, format, threads)
			must(t, err)
			checks := make([]VerifyJob, len(jobs))
			for i, job := range jobs {
				checks[i] = VerifyJob{job.Key.VerifyingKey(), job.Message, signatures[i]}
				must(t, checks[i].Key.Verify(job.Message, signatures[i], format))
				if cap(signatures[i]) != len(signatures[i]) {
					t.Error("a signature could grow into the next one")
				}
			}
			verdicts, err := VerifyBatch(checks, format, threads)
			must(t, err)
			expected := make([]Verdict, len(jobs))
			for i := range expected {
				expected[i] = Valid
			}
			damage(checks, expected)
			if fmt.Sprint(verdicts) == fmt.Sprint(expected) {
				t.Error("no damage")
			}
			verdicts, err = VerifyBatch(checks, format, threads)
			expect(t, err, ErrInvalidSignature)
			if fmt.Sprint(verdicts) != fmt.Sprint(expected) {
				t.Errorf("%v, not %v", verdicts, expected)
			}
		}
	}
}

// damage changes some jobs and their verdicts.
func damage(jobs []VerifyJob, verdicts []Verdict) {
	jobs[5].Message, verdicts[5] = []byte("another"), Invalid
	jobs[7].Key, verdicts[7] = jobs[39].Key, Invalid
	jobs[8].Key, verdicts[8] = nil, UnknownKey
	jobs[9].Signature, verdicts[9] = nil, Malformed
	jobs[20].Signature, verdicts[20] = jobs[20].Signature[1:], Malformed
}

func TestEmptyAndRefusedBatches(t *testing.T) {
	signatures, err := SignBatch(nil, Padded, nil)
	must(t, err)
	verdicts, err := VerifyBatch(nil, Padded, nil)
	must(t, err)
	if len(signatures) != 0 || len(verdicts) != 0 {
		t.Error("results without jobs")
	}
	key := seedKey(t, Falcon512, 1)
	signatures, err = SignBatch([]SignJob{{key, nil}, {nil, nil}}, Padded, nil)
	expect(t, err, ErrNullPointer)
	if signatures != nil || err.Error() != "job 1: falconsign: a pointer is NULL" {
		t.Errorf("%d signatures, %v", len(signatures), err)
	}
	signatures, err = SignBatch([]SignJob{{key, nil}}, 0, nil)
	expect(t, err, ErrArgument)
	verdicts, err = VerifyBatch([]VerifyJob{{key.VerifyingKey(), nil, nil}}, 0, nil)
	expect(t, err, ErrArgument)
	if signatures != nil || verdicts != nil {
		t.Error("results of a refused batch")
	}
	if text := fmt.Sprint(VerdictOf(0), VerdictOf(1), VerdictOf(2), VerdictOf(3), VerdictOf(4), Verdict(1),
		Verdict(3)); text != "valid invalid malformed unknown key Verdict(0) Verdict(1) Verdict(3)" {
		t.Error(text)
	}
	// A refused batch has released the keys.
	freed := counted(key.handle)
	must(t, key.Close())
	if freed.Load() != 1 {
		t.Error("a batch still uses the key")
	}
}

// Goroutines share keys and threads, write to one stream, and close all of that meanwhile. Each call
// succeeds or finds its object closed.
func TestConcurrentUse(t *testing.T) {
	const goroutines = 8
	threads, err := NewThreads(2)
	must(t, err)
	key := seedKey(t, Falcon512, 1)
	public := key.VerifyingKey()
	encoded, err := public.Bytes()
	must(t, err)
	closing, err := ParseVerifyingKey(encoded)
	must(t, err)
	stream, err := key.NewStream()
	must(t, err)
	message := []byte("order #42")
	signature, err := key.Sign(nil, message, Padded)
	must(t, err)

	var running, halfway sync.WaitGroup
	halfway.Add(goroutines)
	allowed := func(err error) bool {
		if err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		return err == nil
	}
	for i := 0; i < goroutines; i++ {
		running.Add(1)
		go func() {
			defer running.Done()
			for round := 0; round < 30; round++ {
				if round == 15 {
					halfway.Done()
				}
				if made, err := key.Sign(nil, message, Padded); allowed(err) {
					allowed(public.Verify(message, made, Padded))
				}
				allowed(closing.Verify(message, signature, Padded))
				jobs := []VerifyJob{{public, message, signature}, {closing, message, signature}}
				if verdicts, err := VerifyBatch(jobs, Padded, nil); allowed(err) && verdicts[1] != Valid {
					t.Error("not valid")
				}
				if _, err := SignBatch([]SignJob{{key, message}}, Padded, threads); err != nil {
					expect(t, err, ErrClosed)
				}
				_, err := stream.Write(message)
				allowed(err)
				_ = key.String()
			}
		}()
	}
	halfway.Wait()
	must(t, closing.Close())
	must(t, stream.Close())
	must(t, threads.Close())
	must(t, key.Close())
	running.Wait()
}
