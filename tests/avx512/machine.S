# The emulated machine's firmware: from reset to long mode, with AVX-512
# enabled, then `start` in machine.c. Everything runs in ring 0, in the first GiB, where virtual
# addresses equal physical ones.

    .globl  boot
    .section .text.boot, "ax"
    .code16
boot:
    cli
    lgdtl   %cs:gdt_pointer - 0xf0000
    movl    %cr0, %eax
    orl     $1, %eax                    # PE
    movl    %eax, %cr0
    ljmpl   $8, $protected

    .code32
protected:
    movw    $16, %ax
    movw    %ax, %ds
    movw    %ax, %es
    movw    %ax, %ss

    # One page of 1 GiB, mapped to itself.
    movl    $0x1000, %edi
    xorl    %eax, %eax
    movl    $0x800, %ecx
    rep     stosl
    movl    $0x2003, 0x1000
    movl    $0x83, 0x2000
    movl    $0x1000, %eax
    movl    %eax, %cr3
    movl    $0x40620, %eax              # PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
    movl    %eax, %cr4
    movl    $0xc0000080, %ecx           # EFER
    movl    $0x101, %eax                # LME, SCE
    xorl    %edx, %edx
    wrmsr
    movl    $0x80000023, %eax           # PG, NE, MP, PE
    movl    %eax, %cr0
    ljmpl   $24, $long

    .code64
long:
    # State to enable: x87, SSE, AVX, and the three components of AVX-512, if the
    # processor has them.
    movl    $0xd, %eax
    xorl    %ecx, %ecx
    cpuid
    andl    $0xe7, %eax
    xorl    %ecx, %ecx
    xorl    %edx, %edx
    xsetbv
    movl    $0xc0000081, %ecx           # STAR
    xorl    %eax, %eax
    movl    $0x00080018, %edx           # syscall sets CS to 0x18, SS to 0x20
    wrmsr
    movl    $0xc0000082, %ecx           # LSTAR
    movl    $entry, %eax
    xorl    %edx, %edx
    wrmsr
    movl    $stack, %esp
    lidt    idt_pointer
    call    start                       # the address to begin at
    movq    program_stack, %rsp
    xorl    %edx, %edx                  # nothing to call at exit
    jmp     *%rax

# A system call of the program. The C code answers it.
entry:
    movq    %rsp, program_stack
    movl    $stack, %esp
    pushq   %rcx                        # where to go on
    pushq   %r11                        # flags
    pushq   %r10
    pushq   %r9
    pushq   %r8
    pushq   %rdx
    pushq   %rsi
    pushq   %rdi
    pushq   %rax
    movq    %rsp, %rdi
    cld
    call    system_call
    popq    %rax                        # the result
    popq    %rdi
    popq    %rsi
    popq    %rdx
    popq    %r8
    popq    %r9
    popq    %r10
    popq    %r11
    popq    %rcx
    pushq   %r11
    popfq
    movq    program_stack, %rsp
    jmp     *%rcx

# Exceptions end the run: `fault` prints the exception and its address.
    .macro  exception number, code
exception_\number:
    .if     !\code
    pushq   $0
    .endif
    pushq   $\number
    jmp     faulted
    .endm
    exception 0, 0
    exception 3, 0
    exception 6, 0
    exception 8, 1
    exception 12, 1
    exception 13, 1
    exception 14, 1
    exception 16, 0
    exception 17, 1
    exception 19, 0
faulted:
    movq    (%rsp), %rdi
    movq    8(%rsp), %rsi
    movq    16(%rsp), %rdx
    movq    %cr2, %rcx
    call    fault

    .section .rodata
    .balign 8
gdt:
    .quad   0
    .quad   0x00cf9b000000ffff          # 0x08: code of 32 bits
    .quad   0x00cf93000000ffff          # 0x10: data
    .quad   0x00af9b000000ffff          # 0x18: code of 64 bits
    .quad   0x00cf93000000ffff          # 0x20: data
gdt_end:
gdt_pointer:
    .word   gdt_end - gdt - 1
    .long   gdt

    # Gates lie in the ROM: 20 of them, interrupt gates of selector 0x18. All
    # code is below 1 MiB, at 0xf0000, so that the upper half of an address is 0xf.
    .macro  gate handler
    .word   \handler - 0xf0000, 0x18, 0x8e00, 0xf
    .quad   0
    .endm
    .macro  no_gate
    .quad   0, 0
    .endm
    .balign 16
idt:
    gate    exception_0
    no_gate
    no_gate
    gate    exception_3
    no_gate
    no_gate
    gate    exception_6
    no_gate
    gate    exception_8
    no_gate
    no_gate
    no_gate
    gate    exception_12
    gate    exception_13
    gate    exception_14
    no_gate
    gate    exception_16
    gate    exception_17
    no_gate
    gate    exception_19
idt_end:
idt_pointer:
    .word   idt_end - idt - 1
    .quad   idt

    .section .reset, "ax"
    .code16
    ljmp    $0xf000, $boot - 0xf0000

    .section .bss, "aw", @nobits
    .balign 16
    .skip   0x4000
stack:

    .section .note.GNU-stack, "", @progbits
