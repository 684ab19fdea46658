// Small programs, some of which leak a secret. The number of arguments selects one. `leaks.rs` has
// the expected reports of each.

        .macro  program number
        cmp     x19, #\number
        b.ne    skip\number
        .endm
        // Ends the program.
        .macro  end number
        mov     x0, #0
        mov     x8, #94
        svc     #0
skip\number:
        .endm
        // Branches on the register.
        .macro  branch register
        cbz     \register, . + 8
        nop
        .endm

        // Loads four registers. Their last byte is secret.
        .macro  load_four
        strb    w0, [x21, #63]
        mov     x22, x21
        ld1     {v0.2d, v1.2d, v2.2d, v3.2d}, [x22], #64
        .endm

        .text
        .global _start
_start:
        ldr     x19, [sp]
        sub     x19, x19, #1
        // Marks the secret with a request, whose words are at x4.
        ldr     x4, =request
        mov     x3, #0
        ror     x12, x12, #3
        ror     x12, x12, #13
        ror     x12, x12, #51
        ror     x12, x12, #61
        orr     x10, x10, x10
        ldr     x20, =secret
        ldr     x0, [x20]
        ldr     x21, =buffer
        mov     x2, #3

        program 1               // a branch on a bit
        tbz     x0, #1, . + 8
        nop
        end     1

        program 2               // an address
        ldr     x1, [x21, x0]
        end     2

        program 3               // divisions by a secret, and of a secret
        udiv    x1, x2, x0
        sdiv    w1, w0, w2
        end     3

        program 4               // kept by a condition that is public
        cmp     x2, #3
        csel    x0, x0, x2, eq
        branch  x0
        end     4

        program 5               // the upper byte, through memory
        str     x0, [x21]
        ldrb    w1, [x21, #7]
        branch  w1
        end     5

        program 6               // one of two words
        stp     x2, x0, [x21]
        ldr     x1, [x21]
        branch  x1
        ldr     x1, [x21, #8]
        branch  x1
        end     6

        program 7               // an exclusive store
        ldxr    x1, [x21]
        stxr    w3, x0, [x21]
        branch  w3
        ldr     x1, [x21]
        branch  x1
        end     7

        program 8               // memory that is cleared
        str     x0, [x21]
        dc      zva, x21
        ldr     x1, [x21]
        branch  x1
        end     8

        program 9               // handed to the system, by both calls
        mov     x0, #1
        mov     x1, x20
        mov     x2, #8
        mov     x8, #64
        svc     #0
        mov     x0, #1
        ldr     x1, =vector
        mov     x2, #1
        mov     x8, #66
        svc     #0
        end     9

        program 10              // the flags of exceptions
        fmov    d0, x0
        fdiv    d1, d0, d0
        mrs     x1, fpsr
        branch  x1
        end     10

        program 11              // one of two lanes
        fmov    d0, x0
        add     v1.2d, v0.2d, v0.2d
        umov    x1, v1.d[1]
        branch  x1
        umov    x1, v1.d[0]
        branch  x1
        end     11

        program 12              // a jump
        adr     x1, . + 12
        add     x1, x1, x0
        br      x1
        nop
        nop
        end     12

        program 13              // flags, and what they select
        cmp     x0, #5
        csel    x1, x2, xzr, eq
        branch  x1
        b.eq    . + 8
        nop
        end     13

        program 14              // nothing: public values
        eor     x1, x2, x2, lsl #3
        branch  x1
        mov     x0, x2
        branch  x0
        end     14

        program 15              // the last byte of four registers
        load_four
        umov    w1, v3.b[15]
        branch  w1
        end     15

        program 16              // the byte before it
        load_four
        umov    w1, v3.b[14]
        branch  w1
        end     16

        mov     x0, #2
        mov     x8, #94
        svc     #0

        .data
        .balign 64
buffer: .fill   64, 1, 0
secret: .quad   8
request:
        // Makes 8 bytes at `secret` undefined.
        .quad   0x4d430001, secret, 8, 0, 0
vector: .quad   secret, 8
