//go:build unix

package falconsign

import (
	"falconsign/internal/cloop"
	"syscall"
	"testing"
)

// processorTime returns the nanoseconds of processor time that this process has taken. Other load on
// the machine stretches it less than the time of a clock.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// benchmark times a call from Go ("cgo") and the same call in a loop of C ("C").
func benchmark(b *testing.B, cgo func() error, c func(rounds int) error) {
	b.Run("cgo", func(b *testing.B) {
		b.ReportAllocs()
		start := processorTime(b)
		for i := 0; i < b.N; i++ {
			must(b, cgo())
		}
		b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op")
	})
	b.Run("C", func(b *testing.B) {
		start := processorTime(b)
		must(b, c(b.N))
		b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op")
	})
}

func BenchmarkFalcon(b *testing.B) {
	message := []byte("order #42, 33 bytes of a message.")
	for _, set := range []ParameterSet{Falcon512, Falcon1024} {
		plain := seedKey(b, set, 7)
		key, err := plain.Expand()
		must(b, err)
		encoded, err := key.Bytes()
		must(b, err)
		c, err := cloop.New(encoded)
		must(b, err)
		signature, err := key.Sign(nil, message, Padded)
		must(b, err)
		public := key.VerifyingKey()
		jobs := make([]VerifyJob, cloop.Jobs)
		for i := range jobs {
			jobs[i] = VerifyJob{public, message, signature}
		}
		b.Run(set.String()+"/verify", func(b *testing.B) {
			benchmark(b, func() error { return public.Verify(message, signature, Padded) },
				func(rounds int) error { return c.Verify(message, signature, rounds) })
		})
		b.Run(set.String()+"/sign", func(b *testing.B) {
			benchmark(b, func() error {
				_, err := key.Sign(nil, message, Padded)
				return err
			}, func(rounds int) error { return c.Sign(message, rounds) })
		})
		b.Run(set.String()+"/verify-batch-of-64", func(b *testing.B) {
			benchmark(b, func() error {
				_, err := VerifyBatch(jobs, Padded, nil)
				return err
			}, func(rounds int) error { return c.VerifyBatch(message, signature, rounds) })
		})
	}
}
