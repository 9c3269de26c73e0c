# Database files compiled into the library, relative to configs/.
set(WEFT_SHIPPED_CONFIGS
    ag_mm/gfx942-304cu/f16_nn_k_ws2_xgmi.json
    ag_mm/gfx942-304cu/f16_nn_k_ws4_xgmi.json
    ag_mm/gfx942-304cu/f16_nn_k_ws8_xgmi.json
    ag_mm/gfx950-256cu/f16_nn_k_ws8_xgmi.json)
