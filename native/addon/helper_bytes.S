// The helper's executable file, carried inside the addon: see helper_image.h. The build finds the file by an
// include path of the assembler.
  .section .rodata.procleash_helper, "a", %progbits
  .balign 16
  .global procleash_helper_begin
  .hidden procleash_helper_begin
procleash_helper_begin:
  .incbin "procleash-supervisor"
  .global procleash_helper_end
  .hidden procleash_helper_end
procleash_helper_end:
  // Without this the linker would ask for an executable stack.
  .section .note.GNU-stack, "", %progbits
