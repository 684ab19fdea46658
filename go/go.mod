module falconsign

go 1.19
