package falconsign

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"testing"
)

// keccakF applies Keccak-f[1600]. Source: FIPS 202, section 3.
func keccakF(a *[25]uint64) {
	register := byte(1)
	for round := 0; round < 24; round++ {
		var c [5]uint64
		for i, word := range a {
			c[i%5] ^= word
		}
		for i := range a {
			a[i] ^= c[(i+4)%5] ^ bits.RotateLeft64(c[(i+1)%5], 1)
		}
		x, y, moved := 1, 0, a[1]
		for t := 0; t < 24; t++ {
			x, y = y, (2*x+3*y)%5
			a[x+5*y], moved = bits.RotateLeft64(moved, (t+1)*(t+2)/2), a[x+5*y]
		}
		for row := 0; row < 25; row += 5 {
			copy(c[:], a[row:row+5])
			for i := range c {
				a[row+i] ^= ^c[(i+1)%5] & c[(i+2)%5]
			}
		}
		for j := 0; j < 7; j++ {
			if register&1 != 0 {
				a[0] ^= 1 << (1<<j - 1)
			}
			high := register >> 7
			register = register<<1 ^ high*0x71
		}
	}
}

// sponge hashes data at a rate, with the byte that ends it, and returns count bytes.
func sponge(rate int, end byte, data []byte, count int) []byte {
	padded := append(append([]byte{}, data...), end)
	for len(padded)%rate != 0 {
		padded = append(padded, 0)
	}
	padded[len(padded)-1] |= 0x80
	var state [25]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := 0; i < rate/8; i++ {
			state[i] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		keccakF(&state)
	}
	var out []byte
	for len(out) < count {
		for i := 0; i < rate/8; i++ {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], state[i])
			out = append(out, word[:]...)
		}
		keccakF(&state)
	}
	return out[:count]
}

func shake256(data []byte, count int) []byte {
	return sponge(136, 0x1f, data, count)
}

func sha3(data []byte) string {
	return hex.EncodeToString(sponge(136, 0x06, data, 32))
}

// The published values of the empty message.
func TestHashesOfTheTests(t *testing.T) {
	if sha3(nil) != "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a" {
		t.Error("SHA3-256")
	}
	if hex.EncodeToString(shake256(nil, 8)) != "46b9dd2b0ba88d13" {
		t.Error("SHAKE256")
	}
}
