// aligned = 8 significand / 2^places, with the low bit set if a one was shifted
// out. With 64 places or more it is 0: the smaller operand is too small to change
// how the larger one is rounded. Combinational.
module fp_align (
    input  wire [52:0] significand,
    input  wire [10:0] places,
    output wire [55:0] aligned
);
    // Shifts by 32, 16, 8, 4, 2 and 1 places. Sticky if a one was shifted out.
    reg [55:0] kept;
    reg        sticky;
    always @* begin
        kept   = {significand, 3'd0};
        sticky = 1'b0;
        if (places[5]) begin sticky = |kept[31:0];          kept = kept >> 32; end
        if (places[4]) begin sticky = sticky | |kept[15:0]; kept = kept >> 16; end
        if (places[3]) begin sticky = sticky | |kept[7:0];  kept = kept >> 8;  end
        if (places[2]) begin sticky = sticky | |kept[3:0];  kept = kept >> 4;  end
        if (places[1]) begin sticky = sticky | |kept[1:0];  kept = kept >> 2;  end
        if (places[0]) begin sticky = sticky | kept[0];     kept = kept >> 1;  end
    end

    assign aligned = |places[10:6] ? 56'd0 : {kept[55:1], kept[0] | sticky};
endmodule
